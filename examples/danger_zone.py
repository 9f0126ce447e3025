"""Videoland's danger zone: an agent acts, the policy decides, a person confirms, and the audit log records it."""

import asyncio
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import uiap
from apps.videoland import Settings, serving
from uiap.cli.main import main as command

CHANGE_PASSWORD = """["current:videoland", "next:a new secret", "again:a new secret"].forEach((pair) => {
  const [name, text] = pair.split(":");
  document.getElementById("password-" + name).value = text;
}); document.querySelector("[data-uiap-id='password.submit']").click()"""


async def danger_zone(url: str, store: Path) -> None:
    url += "/settings?as=admin&lang=en"
    async with uiap.open(url, principal="agent:helper", rules="standard", store=store) as ui:
        await ui.act("ui.activate", role="tab", name="Security")
        result = await ui.act("ui.activate", role="button", name="Delete account")
        print(f"delete the account: {result.status}, {result.error.message}")
        await change_password(ui, ui.person)  # an agent never gets the person's session
        await ui.navigate("/team?lang=en")
        await invite(ui, ui.person)


async def change_password(ui: uiap.Ui, person: uiap.Ui) -> None:
    progress = asyncio.Queue()
    task = asyncio.create_task(
        ui.act("ui.activate", stable_id="password.submit", on_progress=progress.put_nowait)
    )
    while (step := await progress.get()).stage != "waiting_for_user":
        pass
    print(f"change the password: {step.note}")
    await person.evaluate(CHANGE_PASSWORD)  # the person does this step
    await person.hand_back(step.action_handle)
    print(f"change the password: {(await task).status}")


async def invite(ui: uiap.Ui, person: uiap.Ui) -> None:
    questions = asyncio.Queue()
    ui.on_confirmation(questions.put_nowait)
    await ui.act("ui.enterText", role="textbox", name="Email", args={"text": "new@company.example"})
    asked = asyncio.create_task(ui.act("ui.activate", role="button", name="Send invitation"))
    question = await questions.get()
    print(f"invite a person: may it {question.preview.summary}? {question.risk.reason}")
    await person.grant(question.action_handle)
    print(f"invite a person: {(await asked).status}")


if __name__ == "__main__":
    with serving(Settings(rows=5, auto_login=True)) as server, tempfile.TemporaryDirectory() as folder:
        asyncio.run(danger_zone(server.url, Path(folder) / "audit.sqlite3"))
        command(["audit", "show", f"{folder}/audit.sqlite3"])
        command(["audit", "verify", f"{folder}/audit.sqlite3"])
