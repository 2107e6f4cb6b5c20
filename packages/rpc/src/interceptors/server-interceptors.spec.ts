import { Code, createClient, type HandlerContext } from "@connectrpc/connect";
import {
  CorruptStreamError,
  rejection,
  TemporarilyUnavailableError,
  UndecodableEventError,
  type StaffRole,
  type StoredEventError,
} from "@hostledger/core";
import { account, admin, health } from "@hostledger/protocol";
import { yieldToOthers } from "@hostledger/runtime/async";
import { describe, expect, it } from "vitest";

import { rejectionError, rejectionOf } from "../errors/rejection-error.ts";
import type { Caller } from "../identity/caller.ts";
import { accountAdminService } from "../testing/account-admin.fixture.ts";
import { accountService } from "../testing/account-service.fixture.ts";
import { caught } from "../testing/caught.fixture.ts";
import { openTokens, tokensOf } from "../testing/tokens.fixture.ts";
import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import { implement } from "../transport/implement.ts";
import { createInProcessTransport } from "../transport/in-process-transport.ts";
import { callerOf, requestContextOf, requireAccount, requireService, requireStaff } from "./call-context.ts";
import { createOutgoing, staffHeaders } from "./outgoing.ts";
import { serverInterceptors, staffInterceptors } from "./server-interceptors.ts";

const tokens = openTokens();
const outgoing = createOutgoing(tokens);
const customer: Caller = { kind: "account", accountId: 7, keyId: 3 };

function served(handler: (context: HandlerContext) => unknown, by = tokens) {
  const logger = recordingLogger();
  const service = accountService({
    getAccount: async (_, context) => {
      await handler(context);
      return {};
    },
  });
  const deadline = { defaultMs: 20, maximumMs: 40 };
  const interceptors = serverInterceptors({ tokens: by, logger, deadline });
  const client = createClient(account.AccountService, createInProcessTransport([service], { interceptors }));
  return { client, logger };
}

async function seen<T>(read: (context: HandlerContext) => T, headers: Headers): Promise<T | undefined> {
  let value: T | undefined;
  await served((context) => {
    value = read(context);
  }).client.getAccount({}, { headers });
  return value;
}

describe("identity", () => {
  it("gives the handler the caller", async () => {
    expect(await seen(callerOf, outgoing({ caller: customer, requestId: "r" }))).toEqual(customer);
  });

  it.each([
    {},
    { "hostledger-caller": "" },
    { "hostledger-caller": "v1.9.x.account:7" },
    { authorization: "x" },
  ])("refuses a call without a valid token", async (headers) => {
    let calls = 0;
    const { client } = served(() => (calls += 1));
    const refusal = rejectionOf(await caught(client.getAccount({}, { headers: new Headers(headers) })));
    expect(refusal.code).toBe("unauthenticated");
    expect(calls).toBe(0);
  });

  it("refuses a token for another service, with the reason", async () => {
    const signed = tokensOf("gateway", { epochMilliseconds: () => 1_800_000_000_000 });
    const elsewhere = createOutgoing(signed, ["domain"])({ caller: customer, requestId: "r" });
    const { client } = served(() => undefined, signed);
    expect(rejectionOf(await caught(client.getAccount({}, { headers: elsewhere })))).toMatchObject({
      code: "unauthenticated",
      message: "The caller's token is good at domain only, and this is account.",
    });
  });

  it.each([
    [{ kind: "account", accountId: 7 }, [true, false, false]],
    [{ kind: "service", name: "domain" }, [false, true, false]],
    [{ kind: "staff", name: "anna" }, [false, false, true]],
  ] satisfies [Caller, boolean[]][])(
    "allows handlers to require a kind of caller: %o",
    async (caller, allowed) => {
      const headers = outgoing({ caller, requestId: "r" });
      const outcomes = [requireAccount, requireService, requireStaff].map(async (require) => {
        try {
          return (await seen<Caller>(require, headers))?.kind === caller.kind;
        } catch (error) {
          expect(rejectionOf(error).code).toBe("unauthorized");
          return false;
        }
      });
      expect(await Promise.all(outcomes)).toEqual(allowed);
    },
  );
});

describe("the staff listener", () => {
  const credential = "0123456789abcdef";
  function callAs(headers: Headers, role: StaffRole = "support") {
    const service = accountAdminService({
      showAccount: (_, context) => ({ name: requireStaff(context).name }),
      topUpAccount: () => ({}),
    });
    const stranger = accountService({ getAccount: () => ({}) });
    const interceptors = staffInterceptors({
      identify: (authorization) =>
        authorization === `Bearer ${credential}`
          ? Promise.resolve({ kind: "staff", name: "anna", role })
          : Promise.reject(rejectionError(rejection("unauthenticated"))),
      logger: recordingLogger(),
    });
    const transport = createInProcessTransport([service, stranger], { interceptors });
    return {
      show: () => createClient(admin.AccountAdminService, transport).showAccount({}, { headers }),
      topUp: () => createClient(admin.AccountAdminService, transport).topUpAccount({}, { headers }),
      getAccount: () => createClient(account.AccountService, transport).getAccount({}, { headers }),
    };
  }

  it("identifies callers by their own credentials", async () => {
    expect(await callAs(staffHeaders(credential)).show()).toMatchObject({ name: "anna" });
  });

  it("accepts no other credential, not even a caller token", async () => {
    const wrong = [
      new Headers(),
      staffHeaders(`${credential}0`),
      outgoing({ caller: { kind: "staff", name: "anna" }, requestId: "r" }),
    ];
    for (const headers of wrong)
      expect(rejectionOf(await caught(callAs(headers).show())).code).toBe("unauthenticated");
  });

  it("refuses in one sentence what the person's role does not permit", async () => {
    const headers = staffHeaders(credential);
    expect(rejectionOf(await caught(callAs(headers).topUp()))).toMatchObject({
      code: "unauthorized",
      message: "The role support does not include TopUpAccount: it takes finance, owner.",
    });
    await expect(callAs(headers, "finance").topUp()).resolves.toBeDefined();
    await expect(callAs(headers, "owner").topUp()).resolves.toBeDefined();
  });

  it("refuses a method that the table does not name, to owners too", async () => {
    const refused = rejectionOf(await caught(callAs(staffHeaders(credential), "owner").getAccount()));
    expect(refused).toMatchObject({
      code: "unauthorized",
      message: "The role owner does not include GetAccount: it takes a caller of another kind.",
    });
  });
});

describe("a service for staff", () => {
  const service = accountAdminService({ topUpAccount: () => ({}) });
  const { topUpAccount } = createClient(
    admin.AccountAdminService,
    createInProcessTransport([service], {
      interceptors: serverInterceptors({ tokens, logger: recordingLogger() }),
    }),
  );
  const topUpAs = (caller: Caller) => topUpAccount({}, { headers: outgoing({ caller, requestId: "r" }) });

  it.each([customer, { kind: "service", name: "domain" }] satisfies Caller[])(
    "refuses a caller that is not staff, even if its handler checks nothing: %o",
    async (caller) => {
      expect(rejectionOf(await caught(topUpAs(caller))).code).toBe("unauthorized");
    },
  );

  it("admits staff", async () => {
    await expect(topUpAs({ kind: "staff", name: "anna" })).resolves.toBeDefined();
  });
});

describe("correlation", () => {
  it("passes on the caller's ids", async () => {
    const call = {
      requestId: "r-1",
      correlationId: "c-1",
      causationId: "e-1",
      idempotencyKey: "k_1",
      operationId: "o-1",
    };
    expect(await seen(requestContextOf, outgoing({ caller: customer, ...call }))).toEqual({
      ...call,
      isRepeatable: true,
      actor: "account:7:3",
    });
  });

  it("correlates by the request id, and creates one if it is missing", async () => {
    const headers = new Headers({ "hostledger-caller": tokens.issue(customer) });
    const context = await seen(requestContextOf, headers);
    expect(context?.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(context).toEqual({
      requestId: context?.requestId,
      correlationId: context?.requestId,
      operationId: context?.operationId,
      isRepeatable: false,
      actor: "account:7:3",
    });
  });

  it("names every call that brings no operation an operation of its own", async () => {
    const calls = [1, 2].map(() => seen(requestContextOf, outgoing({ caller: customer, requestId: "r" })));
    const [first, second] = await Promise.all(calls);
    expect(first?.operationId).toMatch(/^[0-9a-f-]{36}$/);
    expect(second?.operationId).not.toBe(first?.operationId);
  });

  it.each([
    ["x-request-id", "a".repeat(129)],
    ["hostledger-correlation-id", "a b"],
    ["hostledger-causation-id", "\u00e4"],
    ["hostledger-operation-id", "o".repeat(129)],
    ["idempotency-key", "a".repeat(256)],
    ["idempotency-key", ""],
  ])("refuses an impossible %s", async (name, value) => {
    const headers = outgoing({ caller: customer, requestId: "r" });
    headers.set(name, value);
    const error = rejectionOf(await caught(served(() => undefined).client.getAccount({}, { headers })));
    expect(error.code).toBe("malformed-request");
    expect(error.message).toContain(name);
  });

  it("refuses a request with a key if the service cannot claim keys", async () => {
    const fingerprint = "ab".repeat(32);
    const claimed = { idempotencyKey: "k", operationId: "o", fingerprint, owner: "gateway-1" };
    const headers = outgoing({ caller: customer, requestId: "r", ...claimed });
    let calls = 0;
    await caught(served(() => (calls += 1)).client.getAccount({}, { headers }));
    expect(calls).toBe(0);
  });

  it.each([
    ["hostledger-request-fingerprint", "AB".repeat(32)],
    ["hostledger-request-owner", "o".repeat(201)],
  ])("refuses an impossible %s of a claim", async (name, value) => {
    const claimed = { idempotencyKey: "k", fingerprint: "ab".repeat(32), owner: "gateway-1" };
    const headers = outgoing({ caller: customer, requestId: "r", ...claimed });
    headers.set(name, value);
    const error = rejectionOf(await caught(served(() => undefined).client.getAccount({}, { headers })));
    expect(error).toMatchObject({ code: "malformed-request", message: expect.stringContaining(name) });
  });

  it("accepts an idempotency key of 255 characters", async () => {
    const idempotencyKey = "k".repeat(255);
    const context = await seen(
      requestContextOf,
      outgoing({ caller: customer, requestId: "r", idempotencyKey }),
    );
    expect(context?.idempotencyKey).toBe(idempotencyKey);
  });
});

describe("deadlines", () => {
  const headers = outgoing({ caller: customer, requestId: "r" });
  it.each([undefined, 1, 60_000])("answer a handler that hangs, limit %s ms", async (timeoutMs) => {
    let signal: AbortSignal | undefined;
    const { client } = served((context) => {
      signal = context.signal;
      return new Promise(() => undefined);
    });
    const error = await caught(
      client.getAccount({}, timeoutMs === undefined ? { headers } : { headers, timeoutMs }),
    );
    expect(rejectionOf(error).code).toBe("deadline-exceeded");
    expect(signal?.aborted).toBe(true);
  });

  it("still log a bug of the handler they did not wait for", async () => {
    const { client, logger } = served(async (context) => {
      await new Promise((resolve) => {
        context.signal.addEventListener("abort", resolve);
      });
      throw new Error("late bug");
    });
    await caught(client.getAccount({}, { headers }));
    await yieldToOthers();
    expect(logger.errors).toHaveLength(1);
  });
});

describe("error mapping", () => {
  const headers = outgoing({ caller: customer, requestId: "r-9" });

  it("logs a bug whole and answers internal", async () => {
    const bug = new Error("secret");
    const { client, logger } = served(() => Promise.reject(bug));
    const error = await caught(client.getAccount({}, { headers }));
    expect(rejectionOf(error)).toEqual(rejection("internal"));
    expect(error).toMatchObject({ code: Code.Internal, cause: undefined });
    expect(logger.errors).toEqual([
      { err: bug, service: "hosting.account.v1.AccountService", method: "GetAccount", requestId: "r-9" },
    ]);
  });

  it("answers a retryable refusal when a provider of the service did not answer", async () => {
    const silence = new TemporarilyUnavailableError("no answer from 127.0.0.1:2113");
    const { client, logger } = served(() => Promise.reject(silence));
    const error = await caught(client.getAccount({}, { headers }));
    expect(rejectionOf(error)).toEqual(
      rejection("temporarily-unavailable", undefined, { retryAfterSeconds: 1 }),
    );
    expect(error).toMatchObject({ code: Code.Unavailable });
    expect(logger.errors).toMatchObject([{ err: silence }]);
  });

  it.each<[StoredEventError, string]>([
    [
      new CorruptStreamError("BalanceCharged", "closed"),
      'corrupt stream: BalanceCharged cannot follow the state "closed"',
    ],
    [
      new UndecodableEventError("BalanceCharged.v1: the data is not JSON"),
      "BalanceCharged.v1: the data is not JSON",
    ],
  ])("names an unusable event to staff, and to nobody else: %o", async (fault, cause) => {
    const place = "account-7@3 (BalanceCharged.v1)";
    const { client, logger } = served(() => Promise.reject(fault.at(place)));
    const answered = async (caller: Caller): Promise<unknown> =>
      rejectionOf(await caught(client.getAccount({}, { headers: outgoing({ caller, requestId: "r" }) })));
    expect(await answered({ kind: "staff", name: "anna" })).toEqual(
      rejection("record-unreadable", `A stored event cannot be used: ${place}: ${cause}.`, {
        retryAfterSeconds: 60,
      }),
    );
    // A service passes errors on, and its caller may be a customer.
    for (const caller of [customer, { kind: "service", name: "domain" } as const])
      expect(await answered(caller)).toEqual(
        rejection("record-unreadable", undefined, { retryAfterSeconds: 60 }),
      );
    expect(logger.errors).toMatchObject([{ err: fault }, { err: fault }, { err: fault }]);
  });

  it("passes a rejection without logging it", async () => {
    const { client, logger } = served(() => Promise.reject(rejectionError(rejection("not-found"))));
    expect(rejectionOf(await caught(client.getAccount({}, { headers }))).code).toBe("not-found");
    expect(logger.errors).toEqual([]);
  });

  it("does not log a caller's disconnection as a bug", async () => {
    const controller = new AbortController();
    const { client, logger } = served((context) => {
      controller.abort();
      context.signal.throwIfAborted();
    });
    const error = await caught(client.getAccount({}, { headers, signal: controller.signal }));
    expect(error).toMatchObject({ code: Code.Canceled });
    await yieldToOthers();
    expect(logger.errors).toEqual([]);
  });

  it("covers the messages of a stream", async () => {
    const logger = recordingLogger();
    const service = implement(health.Health, {
      check: () => ({}),
      watch: async function* () {
        yield { status: 1 };
        await Promise.reject(new Error("secret"));
      },
    });
    const transport = createInProcessTransport([service], {
      interceptors: serverInterceptors({ tokens, logger }),
    });
    const atHealth = createOutgoing(tokens, ["health"])({ caller: customer, requestId: "r" });
    const stream = createClient(health.Health, transport)
      .watch({}, { headers: atHealth })
      [Symbol.asyncIterator]();
    await stream.next();
    expect(rejectionOf(await caught(stream.next())).code).toBe("internal");
    expect(logger.errors).toHaveLength(1);
  });
});
