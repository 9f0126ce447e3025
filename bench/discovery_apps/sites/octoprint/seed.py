"""An administrator and the answers to the first-run wizard, so that the application starts with its own pages."""

import subprocess
import sys
from pathlib import Path

CONFIG = """\
server:
  firstRun: false
  onlineCheck:
    enabled: false
  pluginBlacklist:
    enabled: false
  seenWizards:
    announcements: null
    backup: null
    classicwebcam: 1
    corewizard: 4
    tracking: null
plugins:
  tracking:
    enabled: false
  softwareupdate:
    check_providers: {}
  announcements:
    channels:
      _important: {read_until: 4102444800}
"""
base = Path("data")
base.mkdir(exist_ok=True)
(base / "config.yaml").write_text(CONFIG)
octoprint = [str(Path(sys.executable).with_name("octoprint")), "--basedir", "data"]
subprocess.run([*octoprint, "user", "add", "admin", "--password", "admin-pw", "--admin"], check=True)
