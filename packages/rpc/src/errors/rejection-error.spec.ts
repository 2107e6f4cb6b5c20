import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { rejection, rejectionCatalogue, type Rejection } from "@hostledger/core";
import { account, RejectionSchema } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { accountService } from "../testing/account-service.fixture.ts";
import { caught } from "../testing/caught.fixture.ts";
import { route } from "../transport/implement.ts";
import { rejectionError, rejectionOf } from "./rejection-error.ts";
import { isRejectionCode, rejectionStatus } from "./rejection-table.ts";

/** Through Connect's own transport, which writes and reads every byte. */
async function overTheWire(refusal: Rejection): Promise<unknown> {
  const service = accountService({
    getAccount: () => {
      throw rejectionError(refusal);
    },
  });
  const transport = createRouterTransport((router) => {
    route(router, [service]);
  });
  return caught(createClient(account.AccountService, transport).getAccount({}));
}

const refusals: Rejection[] = [
  ...Object.keys(rejectionCatalogue)
    .filter(isRejectionCode)
    .map((code) => rejection(code)),
  rejection("insufficient-balance", "Too little.", { requiredCents: 1190n, availableCents: 0n }),
  rejection("overloaded", undefined, { retryAfterSeconds: 2 }),
  rejection("registrar-failed", undefined, { hadNoEffect: true }),
  rejection("quota-exceeded", undefined, { quota: "open_tickets", retryAfterSeconds: 60 }),
  rejection("validation-failed", undefined, {
    fieldErrors: { domain: ["too long", "no dot"], years: ["0"] },
  }),
];

describe("rejections as Connect errors", () => {
  it.each(refusals)("come back whole in process: $code", (refusal) => {
    expect(rejectionOf(rejectionError(refusal))).toEqual(refusal);
  });

  it.each(refusals)("come back whole over the wire: $code", async (refusal) => {
    const error = await overTheWire(refusal);
    expect(rejectionOf(error)).toEqual(refusal);
    expect(error).toMatchObject({ code: rejectionStatus[refusal.code].connect, rawMessage: refusal.message });
  });

  it("treats a field named __proto__ as a field", async () => {
    const fieldErrors = Object.fromEntries([["__proto__", ["unknown"]]]);
    const back = rejectionOf(await overTheWire(rejection("validation-failed", undefined, { fieldErrors })));
    expect(Object.entries(back.detail?.fieldErrors ?? {})).toEqual([["__proto__", ["unknown"]]]);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it.each([
    [Code.Unavailable, "overloaded"],
    [Code.ResourceExhausted, "overloaded"],
    [Code.DeadlineExceeded, "deadline-exceeded"],
    [Code.Aborted, "deadline-exceeded"],
    [Code.Canceled, "deadline-exceeded"],
    [Code.Unauthenticated, "unauthenticated"],
    [Code.PermissionDenied, "unauthorized"],
    [Code.NotFound, "not-found"],
    [Code.InvalidArgument, "malformed-request"],
    [Code.OutOfRange, "malformed-request"],
    [Code.Unimplemented, "internal"],
    [Code.Internal, "internal"],
    [Code.Unknown, "internal"],
    [Code.DataLoss, "internal"],
    [Code.AlreadyExists, "internal"],
    [Code.FailedPrecondition, "internal"],
  ] as const)("reads an error without detail by its code: %s is %s", (code, expected) => {
    expect(rejectionOf(new ConnectError("text of a stranger", code))).toEqual(rejection(expected));
  });

  it("reveals nothing about other errors", () => {
    for (const error of [new Error("secret"), "secret", undefined, null, { code: 16 }]) {
      expect(rejectionOf(error)).toEqual(rejection("internal"));
    }
  });

  it("goes by the Connect code when the detail names no code of the catalogue", () => {
    const detail = { desc: RejectionSchema, value: { code: "from-the-future", message: "?" } };
    const error = new ConnectError("?", Code.NotFound, undefined, [detail]);
    expect(rejectionOf(error)).toEqual(rejection("not-found"));
  });
});
