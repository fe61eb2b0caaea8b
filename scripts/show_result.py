"""Prints, from a Result document on stdin, what a model is told and what it cost."""

import json
import sys


def main() -> None:
    """Prints the observation as JSON, then one line for a person."""
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    result = json.load(sys.stdin)
    print("observation:", json.dumps(result["observation"], ensure_ascii=False, indent=2))
    usage = result["usage"]
    degraded = ", ".join(result["boundary"]["degraded"]) or "nothing"
    print(
        f"status {result['status']} · {usage['wall_ms']:.0f} ms · {usage['memory_peak_bytes'] / 2**20:.0f} MiB"
        f" · network {result['boundary']['network']} · degraded: {degraded}"
    )
    for artifact in result["artifacts"]:
        print("chart:" if artifact["type"] == "image" else "file:", artifact.get("saved_to", artifact["path"]))


if __name__ == "__main__":
    main()
