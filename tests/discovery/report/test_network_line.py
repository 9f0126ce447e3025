"""The first line of a report."""

from __future__ import annotations

from typing import Any

import msgspec

from tests.discovery.simulated_app import Element, Page, explore
from uiap.discovery.report.network_line import network_line
from uiap.discovery.report.report import html_report
from uiap.spec.discovery import DiscoveryPackage


def package_with(**network: Any) -> DiscoveryPackage:
    package = explore({"/": Page([Element("button", "Save")])})[0]
    return msgspec.structs.replace(package, metadata={"network": network})


def test_nothing_unexpected_is_said_first() -> None:
    assert network_line(package_with()) == "no request that could write reached the server unexpectedly"


def test_requests_that_reached_the_server_are_named_with_those_of_signing_in() -> None:
    line = network_line(
        package_with(
            reached=["PUT http://app.test/track"], signIn=["POST http://app.test/login"], held={"POST /x": 4}
        )
    )
    assert line == (
        "reached the server unexpectedly: PUT http://app.test/track; "
        "signing in sent POST http://app.test/login; 1 different requests were held back"
    )
    assert line in html_report(
        package_with(
            reached=["PUT http://app.test/track"], signIn=["POST http://app.test/login"], held={"POST /x": 4}
        )
    )
