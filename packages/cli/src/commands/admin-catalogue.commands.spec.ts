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

describe("what is sold where", () => {
  const plan = { id: 1n, title: "S", cores: 2, memoryGb: 4, storageGb: 80, priceCents: 999n, retired: false };
  const servers = {
    showCatalogue: () => ({
      plans: [
        { ...plan, announcedPriceCents: 1_099n, validFrom: "2027-01-01T00:00:00.000000Z" },
        { ...plan, id: 2n, title: "Old", retired: true },
      ],
      regions: [
        { id: 3n, code: "fra", location: "Frankfurt" },
        { id: 4n, code: "ams", location: "Amsterdam" },
      ],
      stock: [
        { planId: 1n, regionId: 3n, units: 5 },
        { planId: 1n, regionId: 4n, units: 7 },
      ],
    }),
  };
  const shown = async (words: string) =>
    (await runAgainst({ servers }, ["admin", ...words.split(" ")])).stdout;
  const read = async (words: string): Promise<unknown> => JSON.parse(await shown(`${words} --json`));

  it("is listed by plan, region and stock", async () => {
    expect(await shown("plan list")).toBe(
      [
        "PLAN  TITLE  CORES  MEMORY GB  STORAGE GB  EUR A MONTH  SOLD  ANNOUNCED EUR  FROM",
        "   1  S          2          4          80         9.99  yes           10.99  2027-01-01T00:00:00Z",
        "   2  Old        2          4          80         9.99  no                -  -",
        "",
      ].join("\n"),
    );
    expect(await read("region list")).toEqual([
      { region_id: 3, code: "fra", location: "Frankfurt" },
      { region_id: 4, code: "ams", location: "Amsterdam" },
    ]);
    const rows = [
      { plan_id: 1, plan: "S", region_id: 3, region: "fra", units: 5 },
      { plan_id: 1, plan: "S", region_id: 4, region: "ams", units: 7 },
    ];
    expect(await read("stock list")).toEqual(rows);
    expect(await read("stock list --region 4")).toEqual(rows.slice(1));
    expect(await shown("stock list --plan 2")).toBe("none\n");
  });

  it("is shown one by one", async () => {
    expect(await read("plan show 1")).toMatchObject({
      plan_id: 1,
      price: "9.99",
      retired: false,
      announced: { price: "10.99" },
      stock: [{ units: 5 }, { units: 7 }],
    });
    expect(await shown("plan show 1")).toContain("sold       yes\n");
    expect(await read("region show 4")).toMatchObject({ code: "ams", stock: [{ plan_id: 1, units: 7 }] });
    expect(await shown("stock show --plan 1 --region 3")).toBe(
      "5 servers of plan 1 can be ordered in region 3.\n",
    );
    expect(await read("stock show --plan 2 --region 3")).toEqual({ plan_id: 2, region_id: 3, units: 0 });
  });

  it.each([
    ["plan show 9", "There is no plan 9.\n"],
    ["region show 9", "There is no region 9.\n"],
    ["stock show --plan 9 --region 3", "There is no plan 9.\n"],
    ["stock show --plan 1 --region 9", "There is no region 9.\n"],
  ])("is refused for missing plans and regions: %s", async (words, stderr) => {
    const outcome = await runAgainst({ servers }, ["admin", ...words.split(" ")]);
    expect(outcome).toEqual({ exitCode: 1, stdout: "", stderr });
  });
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
    expect(JSON.parse(stdout)).toEqual({ region_id: 2, repeated: false });
    expect((await runAgainst(implementation, line)).stdout).toBe("Region 2 (fra) is there.\n");
    expect(requests[0]).toEqual({ code: "fra", location: "Frankfurt am Main" });
  });

  it.each([[line.slice(0, 5)], [line.toSpliced(3, 2)]])("is wrong usage as %j", async (wrong) => {
    expect(await runCommand(wrong)).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("admin stock set", () => {
  const line = "admin stock set --plan 1 --region 2 --units".split(" ");

  it.each([
    [0, "0 units"],
    [1, "1 unit"],
    [1_000_000, "1,000,000 units"],
  ])("sets %d units", async (units, shown) => {
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
    expect(JSON.parse(stdout)).toEqual({ plan_id: 1, region_id: 2, units, repeated: false });
    expect(requests).toEqual([[1n, 2n, units]]);
    expect((await runAgainst(implementation, [...line, String(units)])).stdout).toBe(
      `${shown} of plan 1 can be ordered in region 2.\n`,
    );
  });

  it.each(["-1", "1.5", "many", "01", "99999999999"])("is wrong usage with %j units", async (units) => {
    expect(await runCommand([...line, units])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
