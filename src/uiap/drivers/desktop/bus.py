"""The accessibility bus: calls with a timeout, and events. It knows D-Bus, but no trees and no graphs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.errors import DBusError, InvalidAddressError

from uiap.drivers.errors import CallTimedOut, ConnectionLost, DriverError, TargetGone
from uiap.errors import Unavailable

ATSPI = "org.a11y.atspi"
ROOT = "/org/a11y/atspi/accessible/root"
REGISTRY = f"{ATSPI}.Registry"
CALL_S = 5.0
START_S = 20.0
"""The first request starts the accessibility bus."""
_APPLICATION_GONE = ("ServiceUnknown", "NameHasNoOwner", "NoReply", "Disconnected")
_OBJECT_GONE = ("UnknownObject", "UnknownMethod", "UnknownInterface")


class ObjectRef(NamedTuple):
    """The address of one accessible object: the connection of its application, and its path there."""

    app: str
    path: str


class BusCallRejected(DriverError):
    """The application answered with an error."""


class ObjectGone(BusCallRejected):
    """The object or its interface does not exist, or no longer."""


class Bus:
    """A connection to the accessibility bus of one session."""

    def __init__(self, connection: MessageBus, address: str = "") -> None:
        self._connection, self.address = connection, address

    @classmethod
    async def open(cls, environ: Mapping[str, str]) -> Bus:
        """Find the accessibility bus through the session bus, and register for events."""
        session = await _connect(session_address(environ), "session bus")
        try:
            session_bus = cls(session)
            (address,) = await session_bus.call_method(
                "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", timeout_s=START_S
            )
        except (TargetGone, BusCallRejected) as error:
            raise Unavailable(
                f"there is no accessibility bus: {error.message}; install at-spi2-core (`make desktop`)"
            ) from error
        finally:
            session.disconnect()
        bus = cls(await _connect(address, "accessibility bus"), address)
        # GTK applications create their accessible objects only after a client has registered for events
        for event in ("object:", "window:", "focus:"):
            path = "/org/a11y/atspi/registry"
            await bus.call_method(REGISTRY, path, REGISTRY, "RegisterEvent", "sass", [event, [], ""])
        return bus

    async def call_method(
        self,
        to: str,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        body: Sequence[Any] = (),
        *,
        timeout_s: float = CALL_S,
    ) -> list[Any]:
        message = Message(
            destination=to,
            path=path,
            interface=interface,
            member=member,
            signature=signature,
            body=list(body),
        )
        try:
            async with asyncio.timeout(timeout_s):
                reply = await self._connection.call(message)
        except TimeoutError:
            raise CallTimedOut(member, timeout_s) from None
        except (EOFError, OSError) as error:
            raise ConnectionLost("the accessibility bus is gone") from error
        if reply is None:
            raise ConnectionLost("the accessibility bus is gone")
        if reply.message_type is MessageType.ERROR:
            raise _error_for(member, str(reply.error_name), " ".join(map(str, reply.body)))
        return list(reply.body)

    async def call(self, ref: ObjectRef, interface: str, member: str, *args: Any, signature: str = "") -> Any:
        """Call a method of an accessible object and return its one result."""
        body = await self.call_method(ref.app, ref.path, f"{ATSPI}.{interface}", member, signature, args)
        return body[0] if body else None

    async def get(self, ref: ObjectRef, interface: str, name: str) -> Any:
        """Return one property. Never read all at once: `GetAll` crashes applications of Qt 5."""
        body = [f"{ATSPI}.{interface}", name]
        reply = await self.call_method(
            ref.app, ref.path, "org.freedesktop.DBus.Properties", "Get", "ss", body
        )
        return reply[0].value

    async def set(self, ref: ObjectRef, interface: str, name: str, value: Variant) -> None:
        body = [f"{ATSPI}.{interface}", name, value]
        await self.call_method(ref.app, ref.path, "org.freedesktop.DBus.Properties", "Set", "ssv", body)

    async def applications(self) -> list[ObjectRef]:
        (children,) = await self.call_method(REGISTRY, ROOT, f"{ATSPI}.Accessible", "GetChildren")
        return [ObjectRef(*child) for child in children]

    async def pid(self, app: str) -> int:
        bus = "org.freedesktop.DBus"
        (found,) = await self.call_method(
            bus, "/org/freedesktop/DBus", bus, "GetConnectionUnixProcessID", "s", [app]
        )
        return int(found)

    async def subscribe(self, on_activity: Callable[[str], None]) -> None:
        """Call `on_activity` with the connection of every application that sends an event, starts or ends."""

        def handle(message: Message) -> None:
            if message.message_type is not MessageType.SIGNAL:
                return
            if message.member == "NameOwnerChanged":  # an application started or ended
                on_activity(str(message.body[0]))
            elif message.sender:
                on_activity(message.sender)

        self._connection.add_message_handler(handle)
        bus = "org.freedesktop.DBus"
        rules = [f"type='signal',interface='{ATSPI}.Event.{kind}'" for kind in ("Object", "Window", "Focus")]
        for rule in (*rules, "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'"):
            await self.call_method(bus, "/org/freedesktop/DBus", bus, "AddMatch", "s", [rule])

    def close(self) -> None:
        if self._connection.connected:
            self._connection.disconnect()


def session_address(environ: Mapping[str, str]) -> str:
    if address := environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    if folder := environ.get("XDG_RUNTIME_DIR"):
        socket = Path(folder) / "bus"
        if socket.exists():
            return f"unix:path={socket}"
    raise Unavailable(
        "there is no D-Bus session: DBUS_SESSION_BUS_ADDRESS is not set; try `dbus-run-session`"
    )


async def _connect(address: str, name: str) -> MessageBus:
    try:
        async with asyncio.timeout(10):
            return await MessageBus(bus_address=address).connect()
    except (OSError, TimeoutError, DBusError, InvalidAddressError) as error:
        raise Unavailable(f"the {name} does not answer: {error or 'timeout'}") from error


def _error_for(member: str, name: str, message: str) -> TargetGone | BusCallRejected:
    if name.endswith(_APPLICATION_GONE):
        return TargetGone("the application has ended")
    kind = ObjectGone if name.endswith(_OBJECT_GONE) else BusCallRejected
    return kind(f"the application rejected `{member}`: {message.strip() or name}")
