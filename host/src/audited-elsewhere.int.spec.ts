import { existsSync } from "node:fs";
import { join } from "node:path";

import { Code, ConnectError } from "@connectrpc/connect";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { readinessOf, staffOf, start } from "./standalone.fixture.ts";

/** No process listens on this port. */
const away = "http://127.0.0.1:2";

it("an instance beside an audit process has no audit log, and forwards staff's requests", async () => {
  const data = directoryOfTest();
  const instance = await start(data, { HOSTLEDGER_AUDIT_URL: away });
  expect(existsSync(join(data, "audit"))).toBe(false);
  const { status, body } = await readinessOf(instance, data);
  expect(status).toBe(200);
  expect(JSON.stringify(body)).not.toContain("audit");
  const staff = staffOf(instance, data);
  const { accountId } = await staff.accounts.openAccount({ name: "Ada" });
  const refused = await staff.audits
    .getStatement({ accountId }, { timeoutMs: 1_000 })
    .catch((error: unknown) => ConnectError.from(error));
  // The process retries for a while; an audit of its own would have answered.
  expect(refused).toMatchObject({ code: Code.DeadlineExceeded });
  const origin = new URL(instance.baseUrl).origin;
  expect((await fetch(`${origin}/audit/`)).status).toBe(404);
});
