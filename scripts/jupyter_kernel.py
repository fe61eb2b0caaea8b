"""A live Jupyter kernel that times cells: a program per line, as JSON, in; how long it took, in ms, out.

A cell has ended when a front end would know it: the kernel has replied, and has said that it is idle, behind all
output. The first line out says that the kernel is ready.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

PATIENCE = 60.0  # seconds for one message
PYTHON = Path(__file__).parent / "python.sh"


def run(client: BlockingKernelClient, program: str) -> float:
    """Milliseconds that a cell took; one that fails ends this process."""
    began = time.perf_counter()
    asked = client.execute(program)
    reply = client.get_shell_msg(timeout=PATIENCE)
    while True:
        told = client.get_iopub_msg(timeout=PATIENCE)
        idle = told["msg_type"] == "status" and told["content"]["execution_state"] == "idle"
        if idle and told["parent_header"].get("msg_id") == asked:
            break
    took = (time.perf_counter() - began) * 1e3
    if reply["content"]["status"] != "ok":
        raise SystemExit(f"the cell failed: {reply['content']}")
    return took


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(JUPYTER_RUNTIME_DIR=home, JUPYTER_CONFIG_DIR=home, JUPYTER_DATA_DIR=home, IPYTHONDIR=home)
        manager = KernelManager()
        manager._kernel_spec = KernelSpec(argv=[str(PYTHON), "-m", "ipykernel_launcher", "-f", "{connection_file}"])
        manager.start_kernel()
        client = manager.blocking_client()
        try:
            client.start_channels()
            client.wait_for_ready(timeout=PATIENCE)
            print("0", flush=True)
            for line in sys.stdin:
                print(f"{run(client, json.loads(line)):.3f}", flush=True)
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


if __name__ == "__main__":
    main()
