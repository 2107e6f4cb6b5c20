import { describe, expect, it } from "vitest";
import type { admin } from "@hostledger/protocol";
import { runAgainst, runCommand } from "../testing/run-command.ts";

describe("admin plan add", () => {
  const line = "admin plan add --title S --cores 2 --memory 4 --storage 80 --price".split(" ");

  it.each([
    ["9.99", 999n],
    ["10", 1_000n],
    ["0.1", 10n],
    ["8388608.57", 838_860_857n],
  ])("reads the price %s exactly", async (price, cents) => {
    const requests: unknown[] = [];
    const implementation = {
      servers: {
        addPlan: ({ title, cores, memoryGb, storageGb, priceCents }: admin.AddPlanRequest) => {
          requests.push({ title, cores, memoryGb, storageGb, priceCents });
          return { planId: 3n };
        },
      },
    };
    const { stdout } = await runAgainst(implementation, [...line, price, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ plan_id: 3 });
    expect(requests).toEqual([{ title: "S", cores: 2, memoryGb: 4, storageGb: 80, priceCents: cents }]);
    expect((await runAgainst(implementation, [...line, price])).stdout).toBe(
      "Plan 3 is on offer; `admin stock set` says how many there are.\n",
    );
  });

  it.each(["9.999", "-1", "free", "1e3", "", "9,99"])("is wrong usage with the price %j", async (price) => {
    expect(await runCommand([...line, price])).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it.each([
    ["--cores", "0"],
    ["--cores", "two"],
    ["--memory", "-4"],
    ["--memory", "4.5"],
    ["--storage", "99999999999"],
    ["--title", " "],
  ])("is wrong usage with %s %j", async (option, value) => {
    const changed = [...line, "9.99"].map((word, index, words) =>
      words[index - 1] === option ? value : word,
    );
    expect(await runCommand(changed)).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it.each(["--title", "--cores", "--memory", "--storage", "--price"])(
    "is wrong usage without %s",
    async (option) => {
      const words = [...line, "9.99"];
      const without = words.toSpliced(words.indexOf(option), 2);
      expect(await runCommand(without)).toMatchObject({ exitCode: 2, stdout: "" });
    },
  );
});

describe("admin region add", () => {
  const line = ["admin", "region", "add", "--code", "fra", "--location", "Frankfurt am Main"];

  it("adds a region", async () => {
    const requests: unknown[] = [];
    const implementation = {
      servers: {
        addRegion: ({ code, location }: admin.AddRegionRequest) => {
          requests.push({ code, location });
          return { regionId: 2n };
        },
      },
    };
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ region_id: 2 });
    expect((await runAgainst(implementation, line)).stdout).toBe("Region 2 (fra) is there.\n");
    expect(requests[0]).toEqual({ code: "fra", location: "Frankfurt am Main" });
  });

  it.each([[line.slice(0, 5)], [line.toSpliced(3, 2)]])("is wrong usage as %j", async (wrong) => {
    expect(await runCommand(wrong)).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("admin stock set", () => {
  const line = "admin stock set --plan 1 --region 2 --units".split(" ");

  it.each([0, 1, 1_000_000])("sets %d units", async (units) => {
    const requests: unknown[] = [];
    const implementation = {
      servers: {
        setStock: (request: admin.SetStockRequest) => {
          requests.push([request.planId, request.regionId, request.units]);
          return { units: request.units };
        },
      },
    };
    const { stdout } = await runAgainst(implementation, [...line, String(units), "--json"]);
    expect(JSON.parse(stdout)).toEqual({ plan_id: 1, region_id: 2, units });
    expect(requests).toEqual([[1n, 2n, units]]);
    expect((await runAgainst(implementation, [...line, String(units)])).stdout).toBe(
      `${String(units)} units of plan 1 can be ordered in region 2.\n`,
    );
  });

  it.each(["-1", "1.5", "many", "01", "99999999999"])("is wrong usage with %j units", async (units) => {
    expect(await runCommand([...line, units])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
