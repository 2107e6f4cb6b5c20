import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createClient,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import { rejection } from "@hostledger/core";
import { account, domain, health } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { rejectionError, rejectionOf } from "../errors/rejection-error.ts";
import { accountService } from "../testing/account-service.fixture.ts";
import { caught } from "../testing/caught.fixture.ts";
import { implement } from "./implement.ts";
import { createInProcessTransport } from "./in-process-transport.ts";

const { SERVING, NOT_SERVING } = health.HealthCheckResponse_ServingStatus;

type GetAccount = Parameters<typeof accountService>[0]["getAccount"];

function accounts(getAccount: NonNullable<GetAccount>) {
  return createClient(account.AccountService, createInProcessTransport([accountService({ getAccount })]));
}

const forever = (): Promise<never> => new Promise(() => undefined);

describe("the in-process transport, unary", () => {
  it("passes a message on unchanged and completes partial answers", async () => {
    const request = create(account.GetAccountRequestSchema, { accountId: 7n });
    let received: unknown;
    const client = accounts((message) => {
      received = message;
      return { accountId: message.accountId };
    });
    const response = await client.getAccount(request);
    expect(received).toBe(request);
    expect(response).toEqual(
      create(account.GetAccountResponseSchema, { accountId: 7n, name: "", balanceCents: 0n }),
    );
  });

  it("completes a plain request and hands over an answer that is a message", async () => {
    const answer = create(account.GetAccountResponseSchema, { name: "x" });
    let received: unknown;
    const client = accounts((message) => {
      received = message;
      return answer;
    });
    expect(await client.getAccount({})).toBe(answer);
    expect(received).toEqual(create(account.GetAccountRequestSchema));
  });

  it("passes the handler a whole context, and the caller headers and trailers", async () => {
    const seen: HandlerContext[] = [];
    const client = accounts((_, context) => {
      seen.push(context);
      context.responseHeader.set("x-a", "1");
      context.responseTrailer.set("x-b", "2");
      return {};
    });
    const back: (string | null)[] = [];
    await client.getAccount(
      {},
      {
        headers: { "x-c": "3" },
        timeoutMs: 5000,
        onHeader: (header) => back.push(header.get("x-a")),
        onTrailer: (trailer) => back.push(trailer.get("x-b")),
      },
    );
    expect(back).toEqual(["1", "2"]);
    const context = seen[0];
    expect(context?.requestHeader.get("x-c")).toBe("3");
    expect(context?.method).toBe(account.AccountService.method.getAccount);
    expect(context?.service).toBe(account.AccountService);
    expect(context?.timeoutMs()).toBeLessThanOrEqual(5000);
    expect(context?.signal.aborted).toBe(true);
  });

  it("does not change the caller's headers and context values", async () => {
    const key = createContextKey("none");
    const client = accounts((_, context) => {
      expect(context.values.get(key)).toBe("none");
      context.values.set(key, "callee");
      return {};
    });
    const headers = new Headers({ "x-c": "3" });
    const contextValues = createContextValues().set(key, "caller");
    await client.getAccount({}, { headers, timeoutMs: 5000, contextValues });
    expect([...headers]).toEqual([["x-c", "3"]]);
    expect(contextValues.get(key)).toBe("caller");
  });
});

describe("the in-process transport, failures", () => {
  it("preserves a rejection, thrown or in a promise", async () => {
    const refusal = rejection("insufficient-balance", undefined, { requiredCents: 2n, availableCents: 1n });
    const thrower = accounts(() => {
      throw rejectionError(refusal);
    });
    const rejecter = accounts(() => Promise.reject(rejectionError(refusal)));
    for (const client of [thrower, rejecter]) {
      expect(rejectionOf(await caught(client.getAccount({})))).toEqual(refusal);
    }
  });

  it("turns a bug into an internal error without its text", async () => {
    const error = await caught(accounts(() => Promise.reject(new Error("secret"))).getAccount({}));
    expect(error).toMatchObject({ code: Code.Internal, rawMessage: "internal error" });
  });

  it("refuses methods without a handler", async () => {
    const client = createClient(domain.DomainService, createInProcessTransport([]));
    expect(await caught(client.listPrices({}))).toMatchObject({ code: Code.Unimplemented });
  });
});

describe("the in-process transport, ends", () => {
  it("answers a caller that gives up, and aborts the handler", async () => {
    const controller = new AbortController();
    let handlerSignal: AbortSignal | undefined;
    const client = accounts((_, context) => {
      handlerSignal = context.signal;
      controller.abort();
      return forever();
    });
    const error = await caught(client.getAccount({}, { signal: controller.signal }));
    expect(error).toMatchObject({ code: Code.Canceled });
    expect(handlerSignal?.aborted).toBe(true);
  });

  it("calls no handler for a caller that has given up already", async () => {
    let calls = 0;
    const client = accounts(() => {
      calls += 1;
      return {};
    });
    await caught(client.getAccount({}, { signal: AbortSignal.abort() }));
    expect(calls).toBe(0);
  });

  it("ends at the time limit although the handler does not", async () => {
    const error = await caught(accounts(forever).getAccount({}, { timeoutMs: 1 }));
    expect(error).toMatchObject({ code: Code.DeadlineExceeded });
    expect(error).toBeInstanceOf(ConnectError);
  });
});

describe("the in-process transport, interceptors", () => {
  it("run in Connect's order and may change request and response", async () => {
    const order: string[] = [];
    const service = accountService({ getAccount: ({ accountId }) => ({ accountId }) });
    const transport = createInProcessTransport([service], {
      interceptors: [
        (next) => async (request) => {
          order.push("outer");
          const response = await next(request);
          order.push("outer again");
          return response;
        },
        (next) => (request) => {
          order.push("inner");
          if (request.stream) return next(request);
          return next({ ...request, message: create(account.GetAccountRequestSchema, { accountId: 8n }) });
        },
      ],
    });
    const response = await createClient(account.AccountService, transport).getAccount({ accountId: 7n });
    expect(response.accountId).toBe(8n);
    expect(order).toEqual(["outer", "inner", "outer again"]);
  });
});

function watching(
  watch: (
    context: HandlerContext,
  ) => AsyncIterable<MessageInitShape<typeof health.HealthCheckResponseSchema>>,
) {
  const service = implement(health.Health, { check: () => ({}), watch: (_, context) => watch(context) });
  return createClient(health.Health, createInProcessTransport([service]));
}

describe("the in-process transport, server streaming", () => {
  it("delivers the messages in order and ends the handler's signal", async () => {
    let signal: AbortSignal | undefined;
    const client = watching(async function* (context) {
      signal = context.signal;
      yield* [{ status: 1 }, { status: 2 }];
      await Promise.resolve();
    });
    const received: health.HealthCheckResponse[] = [];
    for await (const message of client.watch({})) received.push(message);
    const answers = [{ status: SERVING }, { status: NOT_SERVING }] as const;
    expect(received).toEqual(answers.map((init) => create(health.HealthCheckResponseSchema, init)));
    expect(signal?.aborted).toBe(true);
  });

  it("delivers messages before an error, then the error", async () => {
    const refusal = rejection("overloaded");
    const client = watching(async function* () {
      yield { status: 1 };
      await Promise.resolve();
      throw rejectionError(refusal);
    });
    const stream = client.watch({})[Symbol.asyncIterator]();
    expect(await stream.next()).toMatchObject({ value: { status: 1 } });
    expect(rejectionOf(await caught(stream.next()))).toEqual(refusal);
  });

  it("ends with the caller's signal although the handler waits", async () => {
    const controller = new AbortController();
    const client = watching(async function* () {
      yield { status: 1 };
      await forever();
    });
    const stream = client.watch({}, { signal: controller.signal })[Symbol.asyncIterator]();
    await stream.next();
    controller.abort();
    expect(await caught(stream.next())).toMatchObject({ code: Code.Canceled });
  });
});
