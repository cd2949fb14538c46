"""Generates `loci_client.generated` from the OpenAPI document while the package is built."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GENERATOR = Path(__file__).parent
PACKAGE = GENERATOR.parent
DOCUMENT = PACKAGE.parent / "openapi.json"
TARGET = PACKAGE / "src" / "loci_client" / "generated"


class GenerateClient(BuildHookInterface):
    def initialize(self, version, build_data):
        # A source distribution has no document beside it, and contains what was generated.
        if DOCUMENT.exists():
            generate()
        elif not TARGET.exists():
            raise RuntimeError(f"{DOCUMENT} does not exist: build the package in a checkout of Loci.")


def generate():
    """Replaces the generated code. Fails if the generator warns about anything in the document."""
    shutil.rmtree(TARGET, ignore_errors=True)
    command = [
        sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning",
        "--path", DOCUMENT, "--output-path", TARGET,
        "--config", GENERATOR / "config.yml", "--custom-template-path", GENERATOR / "templates",
    ]  # fmt: skip
    scripts = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": scripts})
    if ran.returncode != 0:
        shutil.rmtree(TARGET, ignore_errors=True)
        raise RuntimeError(f"openapi.json cannot be turned into a client:\n{ran.stdout}{ran.stderr}")
