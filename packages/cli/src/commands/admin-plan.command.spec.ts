import type { admin } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";
import { runAgainst, runCommand } from "../testing/run-command.ts";

describe("admin plan edit", () => {
  const line = ["admin", "plan", "edit", "3"];
  const sold = { planId: 3n, title: "S", cores: 2, memoryGb: 4, storageGb: 80, priceCents: 1_099n };
  const { title, cores, memoryGb, storageGb, priceCents } = sold;

  it.each([
    [["--price", "10.99"], { priceCents }],
    [["--title", "S"], { title }],
    [["--cores", "2", "--memory", "4", "--storage", "80"], { cores, memoryGb, storageGb }],
  ])("sends only the changed fields: %j", async (options, changes) => {
    const requests: unknown[] = [];
    const servers = {
      editPlan: ({ $typeName: _name, ...request }: admin.EditPlanRequest) => {
        requests.push(request);
        return sold;
      },
    };
    const json = await runAgainst({ servers }, [...line, ...options, "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({
      plan_id: 3,
      title: "S",
      cores: 2,
      memory: 4,
      storage: 80,
      price: "10.99",
      repeated: false,
    });
    const { stdout } = await runAgainst({ servers }, [...line, ...options]);
    expect(stdout).toBe(
      "Plan 3 is sold as S for 10.99 EUR a month; servers keep what they were ordered with.\n",
    );
    expect(requests[0]).toEqual({ planId: 3n, ...changes });
  });

  it.each([
    [line],
    [["admin", "plan", "edit", "--price", "1"]],
    [[...line, "--price", "free"]],
    [[...line, "--cores", "0"]],
    [[...line, "--title", " "]],
    [["admin", "plan", "edit", "x", "--price", "1"]],
  ])("is wrong usage: %j", async (wrong) => {
    expect(await runCommand(wrong)).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("admin plan retire", () => {
  const line = ["admin", "plan", "retire", "3", "--reason", "Old processors"];

  it("retires a plan for a reason", async () => {
    const requests: unknown[] = [];
    const servers = {
      retirePlan: ({ planId, reason }: admin.RetirePlanRequest) => {
        requests.push([planId, reason]);
        return { planId };
      },
    };
    expect(JSON.parse((await runAgainst({ servers }, [...line, "--json"])).stdout)).toEqual({
      plan_id: 3,
      retired: true,
      repeated: false,
    });
    expect((await runAgainst({ servers }, line)).stdout).toBe(
      "Plan 3 is not sold any more; its servers go on and can be renewed.\n",
    );
    expect(requests[0]).toEqual([3n, "Old processors"]);
  });

  it.each([[line.slice(0, 4)], [[...line.slice(0, 5), " "]], [line.toSpliced(3, 1)]])(
    "is wrong usage: %j",
    async (wrong) => {
      expect(await runCommand(wrong)).toMatchObject({ exitCode: 2, stdout: "" });
    },
  );
});
