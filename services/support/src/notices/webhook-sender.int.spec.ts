import { createHmac } from "node:crypto";

import { manualClock, type ManualClock } from "@hostledger/runtime";
import { freePort } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { type Receiver, startReceiver } from "./receiver.fixture.ts";
import { createWebhookSender, type Resolve, type WebhookMessage } from "./webhook-sender.ts";

const at = "2026-03-01T10:00:00.000000Z";
const secret = `whsec_${Buffer.from("a secret of 32 bytes, more or less").toString("base64")}`;
const never = new AbortController().signal;

let receiver: Receiver;
let clock: ManualClock;

beforeEach(async () => {
  receiver = await startReceiver();
  clock = manualClock(at);
});

function sender(allowed: readonly string[] = ["127.0.0.0/8"], resolve?: Resolve) {
  return createWebhookSender({ allowed, timing: clock, ...(resolve === undefined ? {} : { resolve }) });
}

const message = (url: string): WebhookMessage => ({
  url,
  id: "msg_1",
  at,
  body: '{"type":"key.created"}',
  secrets: [secret],
});

/** A resolver that answers these addresses in turn, and the last one from then on. */
function answering(...addresses: readonly string[]): Resolve {
  const left = [...addresses];
  return () => {
    const address = left.length > 1 ? (left.shift() ?? "") : (left[0] ?? "");
    return Promise.resolve([{ address, family: address.includes(":") ? 6 : 4 }]);
  };
}

describe("a notice that is sent", () => {
  it("is signed as Standard Webhooks 1.0 has it, with every secret", async () => {
    const other = `whsec_${Buffer.from("the former one").toString("base64")}`;
    const sent = await sender().send({ ...message(receiver.url), secrets: [secret, other] }, never);
    expect(sent).toEqual({ status: 200, error: null });
    const [{ headers, body } = { headers: {}, body: "" }] = receiver.received;
    const timestamp = String(Date.parse(at) / 1_000);
    const signatures = [secret, other].map((each) => {
      const key = Buffer.from(each.slice("whsec_".length), "base64");
      return `v1,${createHmac("sha256", key).update(`msg_1.${timestamp}.${body}`).digest("base64")}`;
    });
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": "msg_1",
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures.join(" "),
    });
  });

  it.each([
    ["120", 120_000],
    ["Sun, 01 Mar 2026 11:00:00 GMT", Date.parse("2026-03-01T11:00:00Z") - Date.parse(at)],
    ["99999999", 86_400_000],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["soon", undefined],
  ])("that is answered Retry-After: %s waits so long", async (text, retryAfterMs) => {
    for (const status of [429, 503]) {
      receiver.answer((response) => response.writeHead(status, { "Retry-After": text }).end());
      expect((await sender().send(message(receiver.url), never)).retryAfterMs).toBe(retryAfterMs);
    }
    receiver.answer((response) => response.writeHead(500, { "Retry-After": text }).end());
    expect((await sender().send(message(receiver.url), never)).retryAfterMs).toBeUndefined();
  });

  it("is not taken by an answer of 500", async () => {
    receiver.answer((response) => response.writeHead(500).end());
    expect(await sender().send(message(receiver.url), never)).toEqual({ status: 500, error: "answered 500" });
  });

  it("follows no redirect to a private address, nor to any other", async () => {
    const inside = await startReceiver();
    receiver.answer((response) => response.writeHead(301, { location: inside.url }).end());
    expect(await sender().send(message(receiver.url), never)).toEqual({
      status: 301,
      error: "answered 301; redirects are not followed",
    });
    expect(inside.received).toEqual([]);
  });

  it("is given up after 20 s by a receiver that answers 200 after 31 s", async () => {
    const asked = Promise.withResolvers<undefined>();
    receiver.answer((response) => {
      asked.resolve(undefined);
      clock.after(31_000, () => response.end());
    });
    const sending = sender().send(message(receiver.url), never);
    await asked.promise;
    clock.advance(20_000);
    expect(await sending).toEqual({ status: null, error: "no answer within 20 s" });
  });

  it("reads nothing of an answer that has no end", async () => {
    receiver.answer((response) => {
      response.writeHead(200);
      response.write("x".repeat(1_000_000));
    });
    expect(await sender().send(message(receiver.url), never)).toEqual({ status: 200, error: null });
  });

  it("cannot reach an absent receiver, and gives the reason in words", async () => {
    const url = `http://127.0.0.1:${String(await freePort())}`;
    expect(await sender().send(message(url), never)).toEqual({
      status: null,
      error: "could not be reached (ECONNREFUSED)",
    });
    const nowhere: Resolve = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    expect(await sender([], nowhere).send(message("https://nowhere.example"), never)).toEqual({
      status: null,
      error: "the host does not resolve",
    });
  });
});

describe("a host that is not on the Internet", () => {
  it.each([
    "http://127.0.0.1:8080",
    "http://[::1]/",
    "http://10.0.0.8/",
    "http://169.254.169.254/latest/meta-data",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://[::ffff:127.0.0.1]/",
    "http://192.168.1.1",
  ])("is forbidden, and not connected to: %s", async (url) => {
    expect(await sender([]).isForbidden(url)).toBe(true);
    expect(await sender([]).send(message(url), never)).toEqual({
      status: null,
      error: "the host is not on the Internet",
    });
  });

  it.each(["127.0.0.1", "::1", "10.1.2.3", "169.254.169.254", "::ffff:10.0.0.1"])(
    "has a name that resolves to %s",
    async (address) => {
      const resolving = sender([], answering(address));
      expect(await resolving.isForbidden("https://hooks.example")).toBe(true);
      expect(await resolving.send(message("https://hooks.example"), never)).toMatchObject({ status: null });
    },
  );

  it("also has a name with a single address of ours", async () => {
    const both: Resolve = () =>
      Promise.resolve([
        { address: "8.8.8.8", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ]);
    expect(await sender([], both).isForbidden("https://hooks.example")).toBe(true);
  });

  it("is also this machine by its public address and our own ports, unless allowed", async () => {
    const resolve = answering("8.8.8.8");
    const here = (allowed: readonly string[], own = ["8.8.8.8"]) =>
      createWebhookSender({ allowed, timing: clock, resolve, ownAddresses: () => own });
    const url = "http://us.example:8081/";
    expect(await here([]).isForbidden(url)).toBe(true);
    expect(await here([]).isForbidden("http://[::ffff:8.8.8.8]:8081/")).toBe(true);
    expect(await here([]).send(message(url), never)).toEqual({
      status: null,
      error: "the host is not on the Internet",
    });
    expect(await here(["8.8.8.8/32"]).isForbidden(url)).toBe(false);
    expect(await here([], ["8.8.4.4", "2001:db8::1"]).isForbidden(url)).toBe(false);
  });

  it("is distinguished from one that does not resolve, or not in time", async () => {
    const nowhere: Resolve = () => Promise.reject(new Error("no"));
    expect(await sender([], nowhere).isForbidden("https://hooks.example")).toBe(false);
    const looking = sender([], () => new Promise(() => undefined)).isForbidden("https://hooks.example");
    clock.advance(2_000);
    expect(await looking).toBe(false);
  });

  it("cannot be reached by a name whose address changes (DNS rebinding)", async () => {
    // The name resolves to a public address at the first look-up, and to our own afterwards.
    const rebinding = answering("192.0.2.1", "127.0.0.1");
    const allowed = sender(["192.0.2.0/24"], rebinding);
    const sending = allowed.send(message(`http://hooks.example:${String(receiver.port)}`), never);
    clock.advance(20_000);
    expect(await sending).toMatchObject({ status: null });
    expect(await allowed.isForbidden(`http://hooks.example:${String(receiver.port)}`)).toBe(true);
    expect(receiver.received).toEqual([]);
  });

  it("is connected to by the checked address, under its name", async () => {
    const named = sender(["127.0.0.0/8"], answering("127.0.0.1"));
    const url = `http://hooks.example:${String(receiver.port)}/hook`;
    expect(await named.send(message(url), never)).toEqual({ status: 200, error: null });
    expect(receiver.received[0]?.headers.host).toBe(`hooks.example:${String(receiver.port)}`);
  });
});

describe("names that nobody answers for", () => {
  /** A sender, and how it sends to a host. @param slow looks names up that begin so */
  function someAreSlow(slow: Resolve = () => new Promise(() => undefined)) {
    const here = answering("127.0.0.1");
    const resolve: Resolve = (host) => (host.startsWith("slow") ? slow(host) : here(host));
    const each = sender(["127.0.0.0/8"], resolve);
    return {
      isForbidden: (url: string) => each.isForbidden(url),
      sendTo: (host: string) => each.send(message(`http://${host}:${String(receiver.port)}/`), never),
    };
  }

  // A customer who adds twelve webhooks a minute at such a name once blocked everybody else's notices.
  it("delay no notice to another one, however many are resolved", async () => {
    const { isForbidden, sendTo } = someAreSlow();
    const hosts = Array.from({ length: 200 }, (_, index) => `https://slow-${String(index)}.example`);
    const asked = hosts.map(isForbidden);
    clock.advance(2_000);
    expect(new Set(await Promise.all(asked))).toEqual(new Set([false]));
    expect(await sendTo("hooks.example")).toEqual({ status: 200, error: null });
  });

  it("delay no notice to another one, once they are known to be slow", async () => {
    let looks = 0;
    const { sendTo } = someAreSlow(async () => {
      looks += 1;
      if (looks > 1) return new Promise(() => undefined);
      clock.advance(5_000);
      throw Object.assign(new Error("no"), { code: "EAI_AGAIN" });
    });
    expect(await sendTo("slow.example")).toEqual({ status: null, error: "the host does not resolve" });
    const again = Array.from({ length: 8 }, () => sendTo("slow.example"));
    const other = sendTo("hooks.example");
    expect(await Promise.race([other, ...again])).toEqual({ status: 200, error: null });
    clock.advance(20_000);
    for (const sent of again) expect(await sent).toEqual({ status: null, error: "no answer within 20 s" });
  });
});
