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

            for done in view_parquet.write(asked.store, asked.name, neff=asked.neff, ntff=asked.ntff, folder=asked.folder, devices=not asked.no_devices,
                                           system=not asked.no_system):  # fmt: skip
                print(done["folder"])
                print_export(done)
            return DONE
        if asked.command == "report":
            from lanewise.trace.report import write_report

            done = write_report(asked.binary, asked.file, asked.html, asked.redact)
            print(f"{done['path']}: {done['bytes'] / 1e6:.1f} MB, {done['answers']} answers{', redacted' if done['redacted'] else ''}; opens from disk, without a network")
            return DONE
        import lanewise
        from lanewise.trace import sql

        trace = lanewise.open(asked.file, producers=asked.producers)
        report_damage(trace)
        if asked.command == "sql":
            if asked.page is not None:
                print_page(sql.run(trace, asked.query, closed=True), asked.page)
            else:
                print_relation(trace.sql(asked.query), as_json=asked.json, as_csv=asked.csv)
        else:
            print_export(trace.export_parquet(asked.folder))
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


def report_damage(trace) -> None:
    for file in trace.files:
        if file["damaged"]:
            print(f"lanewise: {file['path']} is damaged: {file['dropped']} events dropped, {file['repaired']} repaired; see lanewise info", file=sys.stderr)


def print_relation(relation, *, as_json: bool, as_csv: bool) -> None:
    if as_json:
        rows = [dict(zip(relation.columns, row)) for row in relation.fetchall()]
        print(json.dumps({"schema": 1, "command": "sql", "rows": rows}, default=str))
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(relation.columns)
        writer.writerows(relation.fetchall())
    else:
        print(relation)


def print_page(relation, most: int) -> None:
    rows = relation.limit(most + 1).fetchall()
    plain = [[None if isinstance(v, float) and not math.isfinite(v) else v for v in row] for row in rows[:most]]
    print(json.dumps({"columns": relation.columns, "rows": plain, "more": len(rows) > most}, default=str))


def print_export(done: dict) -> None:
    for name, rows in done["files"].items():
        print(f"{name:<40} {rows} rows")
    for table, columns in done["empty"].items():
        print(f"{table}: nothing in a trace fills {', '.join(columns)}; null")
    for table, why in done["left_out"].items():
        print(f"{table}: not written, {why}")


if __name__ == "__main__":
    sys.exit(main())
