"""The addresses that a guarded browser may reach: in every spelling, by name, and by what is allowed."""

from __future__ import annotations

import ipaddress

import pytest

from uiap.drivers.reach import Reach
from uiap.errors import UiapError

INTERNAL_URLS = [
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://127.0.0.1.:80/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://017700000001/",
    "http://0177.0.0.1/",
    "http://0/",
    "http://0.0.0.0:8080/",
    "http://localhost/",
    "http://LOCALHOST:3000/",
    "http://app.localhost/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fc00::1]/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://192.0.2.1/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://user:pass@127.0.0.1/",
    "https://example.com@127.0.0.1/",
]
OTHER_URLS = [
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    " file:///etc/passwd",
    "view-source:http://example.com/",
    "chrome://settings",
    "ftp://example.com/",
    "gopher://example.com/",
    "javascript:alert(1)",
    "http://",
    "http://example.com:port/",
    "http://[::1/",
    "",
]


@pytest.mark.parametrize("url", INTERNAL_URLS)
def test_internal_address_is_refused_in_every_spelling(url: str):
    reason = Reach().refusal(url)
    assert reason is not None and "is in a private network" in reason


@pytest.mark.parametrize("url", OTHER_URLS)
def test_other_schemes_are_refused_even_if_all_addresses_are_allowed(url: str):
    assert Reach(["private", "0.0.0.0/0", "::/0"]).refusal(url) is not None


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/",
        "http://1.1.1.1/",
        "http://[2606:4700::1111]/",
        "http://[64:ff9b::101:101]/",
        "data:text/html,x",
        "about:blank",
    ],
)
def test_public_internet_is_not_refused(url: str):
    assert Reach().refusal(url) is None


def test_destinations_are_allowed_by_name_port_and_network():
    reach = Reach(["localhost:3000", "10.0.0.0/8", "intra.example", "[fd00::1]:80"])
    for url in (
        "http://localhost:3000/",
        "http://127.0.0.1:3000/",
        "http://[::1]:3000/",
        "http://10.2.3.4:99/",
        "http://[fd00::1]/",
    ):
        assert reach.refusal(url) is None, url
    for url in ("http://localhost:3001/", "http://192.168.0.1/", "http://[fd00::1]:81/"):
        assert reach.refusal(url) is not None, url


def test_name_is_judged_by_the_address_it_resolves_to():
    internal, metadata = ipaddress.ip_address("192.168.0.1"), ipaddress.ip_address("169.254.169.254")
    assert not Reach().admits("rebound.example", internal, 80)
    assert Reach(["intra.example"]).admits("Intra.example.", internal, 80)
    assert not Reach(["intra.example"]).admits("x.intra.example", internal, 80)
    # an allowed name must not give access to the metadata service
    assert not Reach(["intra.example"]).admits("intra.example", metadata, 80)
    assert not Reach(["private"]).admits("x", metadata, 80)
    assert Reach(["169.254.169.254"]).admits("x", metadata, 80)


@pytest.mark.parametrize("value", ["", "a b", "http://localhost", "*.example", "10.0.0.0/99"])
def test_invalid_value_for_allow_is_an_error(value: str):
    with pytest.raises(UiapError, match="cannot be allowed"):
        Reach([value])
