"""The one definition of a URL's origin: equal texts are one origin, and an opaque origin equals nothing."""

import pytest

from uiap.origin import OPAQUE, origin_of, same_origin, split_user_info


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://app.example", "https://app.example"),
        ("https://app.example/a/b?c=d#e", "https://app.example"),
        ("https://app.example:8443/", "https://app.example:8443"),
        # default ports
        ("https://app.example:443/", "https://app.example"),
        ("http://app.example:80/", "http://app.example"),
        ("wss://app.example:443/live", "wss://app.example"),
        ("ws://app.example:80/live", "ws://app.example"),
        ("http://app.example:443/", "http://app.example:443"),
        ("https://app.example:/", "https://app.example"),
        ("https://app.example:0443/", "https://app.example"),
        # upper case
        ("HTTPS://App.Example/Path", "https://app.example"),
        # user info is no part of an origin
        ("https://ann:secret@app.example/", "https://app.example"),
        ("https://ann@app.example:8443/", "https://app.example:8443"),
        ("https://app.example@evil.example/", "https://evil.example"),
        ("https://app.example:443@evil.example/", "https://evil.example"),
        ("https://a@b@evil.example/", "https://evil.example"),
        # IP addresses
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]"),
        ("http://[2001:DB8::A]:80/", "http://[2001:db8::a]"),
        # a trailing dot makes another host
        ("https://app.example./", "https://app.example."),
        # names outside ASCII
        ("https://bücher.example/", "https://xn--bcher-kva.example"),
        ("https://BÜCHER.example/", "https://xn--bcher-kva.example"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example"),
        ("https://faß.example/", "https://xn--fa-hia.example"),
        ("https://例え。example/", "https://xn--r8jz45g.example"),
        # white space around a URL and line ends inside it are dropped, as browsers do
        ("  https://app.example/", "https://app.example"),
        ("https://app.exa\nmple/", "https://app.example"),
    ],
)
def test_an_origin_is_the_scheme_the_host_and_the_port(url: str, origin: str) -> None:
    assert origin_of(url) == origin
    assert origin_of(origin) == origin, "an origin is its own origin"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "null",
        "/videos/7",
        "app.example",
        "//app.example/",
        "about:blank",
        "data:text/html,hello",
        "file:///etc/hosts",
        "file://server/share",
        "javascript:alert(1)",
        "blob:https://app.example/5f0c",
        "chrome-extension://abcdef/page.html",
        "ftp://app.example/",
        "android:com.example.app",
        "desktop:galculator",
        "http://",
        "http:///path",
        "http:app.example",
        "http:/app.example",
        # a port that is none
        "http://app.example:99999/",
        "http://app.example:80a/",
        # hosts that a browser reads differently or refuses
        "http://evil.example\\@app.example/",
        "http:\\\\app.example/",
        "http://app%2eexample/",
        "http://app example/",
        "http://app.example%00.evil.example/",
        "http://*.example/",
        "http://a..b/",
        "http://[::1/",
        "http://[zzz]/",
        "http://[fe80::1%25eth0]/",
        "http://app.example\uff0fevil.example/",
    ],
)
def test_a_url_without_an_origin_of_its_own_is_opaque(url: str) -> None:
    assert origin_of(url) == OPAQUE
    assert not same_origin(url, url)


def test_two_urls_of_one_origin_differ_only_behind_it() -> None:
    assert same_origin("https://ann@App.example:443/a", "https://app.example/b?c")
    assert not same_origin("https://app.example/", "http://app.example/")
    assert not same_origin("https://app.example/", "https://app.example:444/")
    assert not same_origin("https://app.example/", "https://www.app.example/")
    assert not same_origin("https://app.example/", "https://app.example./")
    assert not same_origin("https://fass.example/", "https://faß.example/")


@pytest.mark.parametrize(("url", "plain", "carried"), [
    ("https://ann:pw@app.example/a?b", "https://app.example/a?b", ("https://app.example", "ann", "pw")),
    ("http://ann@app.example:80/", "http://app.example:80/", ("http://app.example", "ann", "")),
    ("http://a%40b:p%3Aw@app.example/", "http://app.example/", ("http://app.example", "a@b", "p:w")),
    ("https://app.example/@ann", "https://app.example/@ann", None),
    ("/relative", "/relative", None),
    ("http://[bad", "http://[bad", None),
])  # fmt: skip
def test_name_and_password_are_taken_from_the_address(
    url: str, plain: str, carried: tuple[str, str, str] | None
) -> None:
    assert split_user_info(url) == (plain, carried)
