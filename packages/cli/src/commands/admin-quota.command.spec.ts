import { expect, it } from "vitest";
import { runAgainst, runCommand } from "../testing/run-command.ts";

const line = ["admin", "account", "quota", "7"];

const answer = {
  quotas: [
    { name: "open_tickets", value: 250n, standard: 100n },
    { name: "free_writes_a_day", value: 5_000n, standard: 5_000n, takenToday: 250n },
  ],
};

interface SetRequest {
  readonly accountId: bigint;
  readonly quota: string;
  readonly value?: bigint | undefined;
  readonly reason: string;
}

it("lists an account's quotas", async () => {
  const implementation = { accounts: { listQuotas: () => answer } };
  const { stdout } = await runAgainst(implementation, line);
  expect(stdout).toMatch(/^QUOTA +VALUE +STANDARD +TAKEN TODAY$/m);
  expect(stdout).toMatch(/^free_writes_a_day +5000 +5000 +250$/m);
  expect(JSON.parse((await runAgainst(implementation, [...line, "--json"])).stdout)).toEqual([
    { quota: "open_tickets", value: 250, standard: 100, taken_today: null },
    { quota: "free_writes_a_day", value: 5_000, standard: 5_000, taken_today: 250 },
  ]);
});

it.each([
  ["250", 250n],
  ["0", 0n],
  ["standard", undefined],
])("sets a quota to %s, and stores the reason", async (text, value) => {
  const requests: object[] = [];
  const setQuota = ({ accountId, quota, value: asked, reason }: SetRequest) => {
    requests.push({ accountId, quota, value: asked, reason });
    return answer;
  };
  const { exitCode } = await runAgainst({ accounts: { setQuota } }, [
    ...line,
    "open_tickets",
    text,
    "--reason",
    "A reseller.",
  ]);
  expect(exitCode).toBe(0);
  expect(requests).toEqual([{ accountId: 7n, quota: "open_tickets", value, reason: "A reseller." }]);
});

it.each([
  [["open_tickets"]],
  [["open_tickets", "250"]],
  [["open_tickets", "-1", "--reason", "r"]],
  [["open_tickets", "1.5", "--reason", "r"]],
  [["open_tickets", "1000000000001", "--reason", "r"]],
  [["open_tickets", "many", "--reason", "r"]],
  [["open_tickets", "250", "--reason", " "]],
])("is wrong usage with %j", async (rest) => {
  expect(await runCommand([...line, ...rest])).toMatchObject({ exitCode: 2, stdout: "" });
});
