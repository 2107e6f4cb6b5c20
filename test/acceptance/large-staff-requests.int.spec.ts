import { request, type IncomingMessage } from "node:http";

import { afterAll, beforeAll, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";

/** Bank files are the largest requests. Only staff who may import them can send them. */

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance({ environment: { HOSTLEDGER_BANK_IBAN: "DE89370400440532013000" } });
});
afterAll(() => instance.close());

/** Sends the head of a request of 16 MiB, without its body, and returns the answer. The instance would wait for the body a minute. */
function answerBeforeBody(headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const url = `${instance.adminUrl}/hosting.admin.v1.BankAdminService/ImportStatements`;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      headers: { "content-type": "application/proto", "content-length": "16777216", ...headers },
    });
    sent.on("response", (answer) => {
      answer.resume();
      sent.destroy();
      resolve(answer);
    });
    sent.on("error", reject);
    sent.flushHeaders();
  });
}

it("a file without a token, or with a wrong one, is refused before it is read", async () => {
  expect((await answerBeforeBody({})).statusCode).toBe(401);
  expect((await answerBeforeBody({ authorization: "Bearer wrong" })).statusCode).toBe(401);
});

it("a file of staff whose role does not import is refused before it is read", async () => {
  const { token } = await instance.staff.members.addStaffMember({ name: "sue", role: "support" });
  expect((await answerBeforeBody({ authorization: `Bearer ${token}` })).statusCode).toBe(403);
});
