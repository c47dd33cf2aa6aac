# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""What the command ``lanewise`` starts Python for: ``sql``, ``report``, ``export --parquet`` and ``view --output-format parquet``. Exit codes as in docs/commands.md."""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import sys
from pathlib import Path

DONE, USAGE, INTERRUPTED = 0, 2, 130


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="lanewise")
    commands = parser.add_subparsers(dest="command", required=True)
    ask = commands.add_parser("sql")
    ask.add_argument("file")
    ask.add_argument("query")
    form = ask.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true")
    form.add_argument("--csv", action="store_true")
    # For the Explorer's server: at most so many rows, as columns and lists; the query can reach no file.
    form.add_argument("--page", type=int, default=None, help=argparse.SUPPRESS)
    parquet = commands.add_parser("parquet")
    parquet.add_argument("file")
    parquet.add_argument("folder")
    for command in (ask, parquet):
        command.add_argument("--producers", default="")
    report = commands.add_parser("report")
    report.add_argument("file")
    report.add_argument("--html", required=True)
    report.add_argument("--redact", action="store_true")
    report.add_argument("--binary", required=True, help="the lanewise executable, for the server that is asked")
    view = commands.add_parser("view")
    for option in ("--store", "--name", "--neff", "--ntff", "--folder"):
        view.add_argument(option, default="")
    view.add_argument("--no-devices", action="store_true")
    view.add_argument("--no-system", action="store_true")
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "view":
            from lanewise.trace import view_parquet

            written, failures, notes = view_parquet.write(asked.store, asked.name, neff=asked.neff, ntff=asked.ntff, folder=asked.folder, devices=not asked.no_devices,
                                                          system=not asked.no_system)  # fmt: skip
            for note in notes:
                print(f"lanewise: {note}", file=sys.stderr)
            for done in written:
                print(done["folder"])
                print_export(done)
            for path, why in failures:
                print(f"lanewise: {path} was not read and is left out: {why.removeprefix(f'{path}: ')}", file=sys.stderr)
            return USAGE if failures else DONE
        if asked.command == "report":
            from lanewise.trace.report import write_report

            done = write_report(asked.binary, asked.file, asked.html, asked.redact)
            print(f"{done['path']}: {done['bytes'] / 1e6:.1f} MB, {done['answers']} answers{', redacted' if done['redacted'] else ''}; opens from disk, without a network")
            return DONE
        if asked.command == "parquet":
            export_parquet(asked.file, asked.folder, asked.producers)
            sys.stdout.flush()
            return DONE
        import lanewise
        from lanewise.trace import sql

        trace = lanewise.open(asked.file, producers=asked.producers)
        report_damage(trace)
        if asked.page is not None:
            print_page(sql.run(trace, asked.query, closed=True), asked.page)
        else:
            print_relation(trace.sql(asked.query), as_json=asked.json, as_csv=asked.csv)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("lanewise: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (ImportError, LookupError, OSError, ValueError) as failure:
        print(f"lanewise: {failure}", file=sys.stderr)
        return USAGE
    except Exception as failure:
        # DuckDB's errors have no common base in the standard library; anything else is a bug and keeps its trace.
        if type(failure).__module__.split(".")[0] not in ("duckdb", "_duckdb"):
            raise
        print(f"lanewise: {failure}", file=sys.stderr)
        return USAGE
    return DONE


def export_parquet(path: str, folder: str, producers: str) -> None:
    """The tables of the trace, and the device profiles beside it; of either what there is. LookupError: nothing of it can be read."""
    import lanewise
    from lanewise.trace import device_parquet, former

    before = former.listed(folder)
    if device_parquet.is_pair(path):
        done = device_parquet.export_pair(path, folder)
        former.remove(folder, former.system_tables() | former.device_tables(), done["files"])
        for name in before:
            former.remove_profile(Path(folder) / name, folder)
        say_damage(path, done["damage"])
        print_export(done)
        return
    pairs = device_parquet.pairs_below(path)
    try:
        trace = lanewise.open(path, producers=producers)
    except (LookupError, OSError, ValueError) as failure:
        if not pairs:
            raise
        print(f"lanewise: device profiles only: {failure}", file=sys.stderr)
        trace = None
    system = {"files": {}, "empty": {}, "left_out": {}}
    if trace is not None:
        report_damage(trace)
        system = trace.export_parquet(folder)
    written = []
    for done in device_parquet.export_pairs(path, folder, pairs):
        say_damage(done["pair"]["ntff"], done["damage"])
        if "failure" in done:
            print(f"lanewise: {done['pair']['ntff']} was not exported: {done['failure']}", file=sys.stderr)
        else:
            written.append(done)
    for ntff, why in device_parquet.unpaired(path, pairs):
        print(f"lanewise: {ntff} was not exported: {why}", file=sys.stderr)
    if written:
        system["files"]["DeviceProfileList.parquet"], empty = device_parquet.export_list(written, folder)
        if empty:
            system["empty"]["DeviceProfileList"] = empty
        system["left_out"].pop("DeviceProfileList", None)
    elif trace is None:
        raise LookupError(f"none of the {len(pairs)} device profiles in {path} could be read")
    former.remove(folder, former.system_tables() | former.device_tables(), system["files"])
    for name in before - {done["name"] for done in written}:
        former.remove_profile(Path(folder) / name, folder)
    print_export(system)
    for done in written:
        print(f"{done['name']}/")
        print_export(done)


def say_damage(path: str, damage: list[str]) -> None:
    for sentence in damage:
        print(f"lanewise: {path}: {sentence}", file=sys.stderr)


def report_damage(trace) -> None:
    for file in trace.files:
        if file["damaged"]:
            print(f"lanewise: {file['path']} is damaged: {file['dropped']} events dropped, {file['repaired']} repaired; see lanewise info", file=sys.stderr)
    for file in trace.unread:
        print(f"lanewise: {file['path']} was not read, the numbers are without it: {file['reason']}", file=sys.stderr)


def print_relation(relation, *, as_json: bool, as_csv: bool) -> None:
    if as_json:
        names = distinct(relation.columns)
        rows = [dict(zip(names, map(plain, row))) for row in relation.fetchall()]
        print(json.dumps({"schema": 1, "command": "sql", "rows": rows}, default=str, allow_nan=False))
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(relation.columns)
        writer.writerows(relation.fetchall())
    else:
        print(relation)


def print_page(relation, most: int) -> None:
    rows = relation.limit(most + 1).fetchall()
    values = [[plain(value) for value in row] for row in rows[:most]]
    print(json.dumps({"columns": relation.columns, "rows": values, "more": len(rows) > most}, default=str, allow_nan=False))


def plain(value: object) -> object:
    """JSON has no infinity and no NaN: null, as in the other commands; also inside lists and structs."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def distinct(names: list[str]) -> list[str]:
    """A member of an object per column: of equal names the later ones get a number, else all but one would be lost."""
    taken = set(names)
    done: list[str] = []
    for name in names:
        number = 1
        free = name
        while free in done or (free != name and free in taken):
            free = f"{name}_{number}"
            number += 1
        done.append(free)
    return done


def print_export(done: dict) -> None:
    from lanewise.trace.table import rows_text

    for name, rows in done["files"].items():
        print(f"{name:<40} {rows_text(rows)}")
    for table, columns in done["empty"].items():
        print(f"{table}: nothing in a trace fills {', '.join(columns)}; null")
    for table, why in done["left_out"].items():
        print(f"{table}: not written, {why}")


if __name__ == "__main__":
    sys.exit(main())
