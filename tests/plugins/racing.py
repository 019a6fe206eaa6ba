"""A process of its own that races for releases, or votes until it is killed; run by the tests of races."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from policy.plugins import ApprovalError, SqliteApprovalStore
from tests.plugins.world import action, authorizer, context


def main() -> None:
    """`racing release FOLDER WORKER START HANDLE…` or `racing vote FOLDER WORKER HANDLE`."""
    task, folder, worker, *rest = sys.argv[1:]
    own = Path(folder) / worker
    own.mkdir()
    with authorizer(own, approvals=SqliteApprovalStore(Path(folder) / "approvals.sqlite")) as made:
        if task == "release":
            start, *handles = rest
            time.sleep(max(0.0, float(start) - time.time()))
            won = []
            for number, handle in enumerate(handles):
                asked = action(name=f"a-{number}")
                if made.release(asked, "payment.pay", context(), handle=handle).allowed:
                    won.append(handle)
            sys.stdout.write(json.dumps(won))
            return
        for number in range(1_000_000):
            name = f"{worker}-{number}"
            try:
                made.vote(rest[0], by={"id": name, "kind": "human"}, decision_id=name)
            except ApprovalError as error:
                raise SystemExit(error.message) from error
            # Told after the store acknowledged it: what was told must be there when the process is dead.
            sys.stdout.write(f"{name}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
