import { createServer, get, type IncomingMessage } from "node:http";

import { create } from "@bufbuild/protobuf";
import { domain } from "@hostledger/protocol";
import { rejectionError } from "@hostledger/rpc";
import { yieldToOthers } from "@hostledger/runtime";
import { listening } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { domainMessage, keyOfSeven } from "../testing/fake-services.ts";
import { gatewayUnderTest, type GatewayUnderTest } from "../testing/gateway-under-test.ts";
import { stream } from "./answer.ts";

interface Owned {
  readonly count: number;
  readonly before?: (page: number) => void | Promise<void>;
}

/** Starts a gateway whose account owns `count` domains, and counts calls to the service. */
async function owning({ count, before = () => undefined }: Owned) {
  let pages = 0;
  const gateway = await gatewayUnderTest({
    domain: {
      async listDomains({ page }) {
        pages += 1;
        await before(pages);
        const after = Number(page?.afterId ?? 0n);
        const length = Math.max(0, Math.min(page?.limit ?? 1_000, count - after));
        const domains = Array.from({ length }, (_, at) => domainMessage(BigInt(after + at + 1), "a.com"));
        return create(domain.ListDomainsResponseSchema, { domains });
      },
    },
  });
  return { gateway, pages: () => pages };
}

const idsIn = (json: unknown): unknown[] =>
  Array.isArray(json) ? json.map((item: unknown): unknown => Reflect.get(Object(item), "id")) : [];

/** Starts a request whose response is not read until the test reads. */
function slowGet({ running }: GatewayUnderTest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${running.url}/domains`, { headers: { authorization: keyOfSeven } }, resolve).on("error", reject);
  });
}

describe("a list of one page", () => {
  it("is one write with Content-Length", async () => {
    const { gateway, pages } = await owning({ count: 999 });
    const answer = await gateway.request("/domains");
    expect(Number(answer.headers.get("content-length"))).toBe(Buffer.byteLength(answer.text));
    expect(idsIn(answer.json)).toHaveLength(999);
    expect(pages()).toBe(1);
  });
});

describe("a longer list", () => {
  it.each([1_000, 1_001, 3_000, 4_321])("of %i items is one JSON array, in chunks", async (count) => {
    const { gateway } = await owning({ count });
    const answer = await gateway.request("/domains");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-length")).toBeNull();
    expect(answer.headers.get("transfer-encoding")).toBe("chunked");
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.headers.get("ratelimit")).toMatch(/^"default"/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(idsIn(answer.json)).toEqual(Array.from({ length: count }, (_, at) => at + 1));
    expect(gateway.log).toMatchObject([{ level: "debug", fields: { status: 200 } }]);
  });

  it("is not read for HEAD, beyond the page that decides the answer", async () => {
    const { gateway, pages } = await owning({ count: 5_000 });
    const answer = await gateway.request("/domains", { method: "HEAD" });
    expect(answer).toMatchObject({ status: 200, text: "" });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(pages()).toBe(1);
  });

  it("is refused properly while nothing was sent", async () => {
    const { gateway } = await owning({
      count: 5_000,
      before() {
        throw rejectionError({ code: "overloaded", message: "Busy." });
      },
    });
    expect(await gateway.request("/domains")).toMatchObject({ status: 503, json: { code: "overloaded" } });
  });

  it("breaks the connection when a later page fails: half a list does not look whole", async () => {
    const { gateway } = await owning({
      count: 5_000,
      before(page) {
        if (page === 3) throw new Error("table domain_list is locked");
      },
    });
    await expect(gateway.request("/domains")).rejects.toThrow();
    await expect.poll(() => gateway.log).toHaveLength(1);
    expect(gateway.log).toMatchObject([
      { level: "error", fields: { status: 200, code: "internal", aborted: true, err: expect.any(Error) } },
    ]);
    expect((await gateway.request("/domains?limit=1")).status).toBe(200);
  });

  it("is read only as fast as a slow client reads it", async () => {
    const { gateway, pages } = await owning({ count: 60_000 });
    const response = await slowGet(gateway);
    // The gateway fills all buffers up to the client, then waits.
    let before = 0;
    do {
      before = pages();
      for (let turn = 0; turn < 200; turn += 1) await yieldToOthers();
    } while (pages() > before);
    expect(pages()).toBeLessThan(40);
    let bytes = 0;
    for await (const chunk of response) bytes += Buffer.byteLength(String(chunk));
    expect(pages()).toBe(61);
    expect(bytes).toBeGreaterThan(60_000 * 300);
    expect(gateway.log).toMatchObject([{ fields: { status: 200 } }]);
  });

  it("is read no further when the client goes away, while it is waited for or while a page is read", async () => {
    const third = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const { gateway, pages } = await owning({
      count: 60_000,
      async before(page) {
        if (page !== 3) return;
        third.resolve(undefined);
        await release.promise;
      },
    });
    const response = await slowGet(gateway);
    response.resume();
    await third.promise;
    response.destroy();
    await expect.poll(() => gateway.log).toHaveLength(1);
    release.resolve(undefined);
    for (let turn = 0; turn < 50; turn += 1) await yieldToOthers();
    expect(pages()).toBe(3);
    expect(gateway.log).toMatchObject([{ level: "debug", fields: { status: 200, aborted: true } }]);

    const waiting = await slowGet(gateway);
    waiting.destroy();
    await expect.poll(() => gateway.log).toHaveLength(2);
    const read = pages();
    for (let turn = 0; turn < 50; turn += 1) await yieldToOthers();
    expect(pages()).toBeLessThanOrEqual(read + 1);
    expect(read).toBeLessThan(60);
  });
});

describe("a client that takes nothing", () => {
  it("is cut off after a while", async () => {
    let pages = 0;
    async function* endless(): AsyncGenerator<string> {
      for (;;) {
        pages += 1;
        yield await Promise.resolve(`["${"x".repeat(1_000_000)}"]`);
      }
    }
    const ended = Promise.withResolvers<boolean>();
    const server = createServer((_request, response) => {
      const context = { requestId: "r", startedMs: 0, headers: [] };
      const answering = Object.assign(response, { locals: { context } });
      void stream(answering, { status: 200, text: '["first"]' }, endless(), 1).then(() => {
        ended.resolve(response.destroyed);
      });
    });
    get(await listening(server), (response) => response.on("error", () => undefined));
    expect(await ended.promise).toBe(true);
    const read = pages;
    await yieldToOthers();
    expect(pages).toBe(read);
  });
});
