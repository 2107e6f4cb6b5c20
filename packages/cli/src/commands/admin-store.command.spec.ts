import { describe, expect, it } from "vitest";

import { runAgainst, runCommand } from "../testing/run-command.ts";

const line = ["admin", "store", "accept", "--reason", "the disk failed"];

function accepting(series: number, asked: unknown[] = []) {
  return {
    store: {
      acceptStore({ reason, above }: { readonly reason?: string; readonly above?: bigint | undefined }) {
        asked.push({ reason, above });
        return { series };
      },
    },
  };
}

describe("admin store accept", () => {
  it("names the series of later documents", async () => {
    const asked: unknown[] = [];
    expect(await runAgainst(accepting(2, asked), [...line, "--above", "5000"])).toEqual({
      exitCode: 0,
      stdout:
        "The store was accepted. New documents are numbered in the series R2, and new ids leave a gap.\n",
      stderr: "",
    });
    expect(asked).toEqual([{ reason: "the disk failed", above: 5000n }]);
  });

  it("reports that there was nothing to accept", async () => {
    expect(await runAgainst(accepting(0), line)).toEqual({
      exitCode: 0,
      stdout: "There is nothing to accept: no process found the store restored from an older backup.\n",
      stderr: "",
    });
  });

  it("prints it as JSON", async () => {
    expect(JSON.parse((await runAgainst(accepting(1), [...line, "--json"])).stdout)).toEqual({ series: 1 });
    expect(JSON.parse((await runAgainst(accepting(0), [...line, "--json"])).stdout)).toEqual({
      series: null,
    });
  });

  it.each([
    ["without a reason", ["admin", "store", "accept"]],
    ["with an empty reason", ["admin", "store", "accept", "--reason", " "]],
    ["with an id that is none", [...line, "--above", "0"]],
  ])("is refused %s", async (_, args) => {
    expect(await runCommand(args)).toMatchObject({ exitCode: 2 });
  });
});
