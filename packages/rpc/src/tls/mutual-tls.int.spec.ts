import { createServer } from "node:https";
import { once } from "node:events";
import { connect } from "node:net";
import { request } from "node:https";

import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { account } from "@hostledger/protocol";
import { listen } from "@hostledger/runtime/testing";
import { afterEach, beforeAll, describe, expect, it } from "vitest";

import { createServiceTransport } from "../remote/service-transport.ts";
import { callerOver, serveThreeMethods } from "../remote/three-methods.fixture.ts";
import type { RpcListener, RpcListenerOptions } from "../server/rpc-listener.ts";
import { caught } from "../testing/caught.fixture.ts";
import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import { testAuthority, type TestAuthority } from "./certificates.fixture.ts";
import { TlsError, type RpcTls } from "./tls.ts";

let ours: TestAuthority;
let theirs: TestAuthority;
let own: Required<RpcTls>;
beforeAll(async () => {
  [ours, theirs] = await Promise.all([testAuthority("ours"), testAuthority("theirs")]);
  own = await ours.certify();
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function serve(tls?: RpcTls, options: Partial<RpcListenerOptions> = {}): Promise<RpcListener> {
  const server = await serveThreeMethods(() => Promise.resolve(), { ...options, ...(tls ? { tls } : {}) });
  closing.push(() => server.close(0));
  return server;
}

/** Returns the end of a call: `answered`, or why the service could not be reached. */
async function outcome(url: string, tls?: RpcTls): Promise<string> {
  const limits = { attempts: 1, connectTimeoutMs: 5000 };
  const transport = createServiceTransport({
    urls: [url],
    logger: recordingLogger(),
    limits,
    ...(tls ? { tls } : {}),
  });
  closing.push(() => transport.close());
  try {
    await callerOver(transport)("once");
    return "answered";
  } catch {
    return (transport.health()[0]?.reason ?? "no reason").replace(url, "It");
  }
}

describe("mutual TLS", () => {
  it("admits a client with a certificate of the authority, also of another name", async () => {
    const { url } = await serve(own);
    expect(url).toMatch(/^https:/);
    expect(await outcome(url, own)).toBe("answered");
    expect(await outcome(url, await ours.certify({ host: "gateway.example" }))).toBe("answered");
  });

  it("explains a missing or refused certificate", async () => {
    const { url } = await serve(own);
    const stranger = { ...(await theirs.certify()), ca: ours.ca };
    expect(await outcome(url, stranger)).toBe(
      "It ended the connection before it answered: it may not accept our TLS certificate.",
    );
    const served = await serve(own);
    const plain = createConnectTransport({
      baseUrl: served.url,
      httpVersion: "2",
      nodeOptions: { ca: ours.ca },
    });
    expect(String(await caught(createClient(account.AccountService, plain).getAccount({})))).toContain(
      "certificate required",
    );
  });

  it("explains a wrong certificate: another authority's, another host's, expired", async () => {
    const trusting = { ...own, ca: ours.ca };
    const foreign = await serve({ ...(await theirs.certify()), ca: ours.ca });
    expect(await outcome(foreign.url, trusting)).toBe(
      "It has a TLS certificate of an authority that is not trusted here.",
    );
    const elsewhere = await serve(await ours.certify({ host: "elsewhere.example" }));
    expect(await outcome(elsewhere.url, trusting)).toBe("It has a TLS certificate for another host name.");
    // A listener of ours does not start with an expired one; others do.
    const { certificate: cert, key } = await ours.certify({ expired: true });
    const old = createServer({ cert, key, ALPNProtocols: ["h2"] });
    const port = await listen(old);
    closing.push(() => Promise.resolve(old.close()));
    expect(await outcome(`https://127.0.0.1:${String(port)}`, trusting)).toBe(
      "It has a TLS certificate that has expired.",
    );
  });

  it("explains a mix of TLS and clear text", async () => {
    const secure = await serve(own);
    const plain = await serve();
    expect(await outcome(plain.url.replace("http:", "https:"), own)).toBe("It does not speak TLS.");
    expect(await outcome(secure.url.replace("https:", "http:"))).toMatch(
      /^It (hung up|ended the connection)/,
    );
  });

  it("answers HTTP/1.1 as well, and logs who was refused", async () => {
    const infos: unknown[] = [];
    const logger = {
      info: (fields: object, message: string) => infos.push({ ...fields, message }),
      error: () => undefined,
    };
    const { port } = await serve(own, { logger });
    const { certificate: cert, key, ca } = own;
    const asked = request({ host: "127.0.0.1", port, path: "/readyz", cert, key, ca, agent: false }).end();
    const [answer] = (await once(asked, "response")) as [{ statusCode?: number }];
    expect(answer.statusCode).toBe(200);
    const other = await theirs.certify();
    const shown = { cert: other.certificate, key: other.key, ca };
    const stranger = request({ host: "127.0.0.1", port, path: "/readyz", ...shown, agent: false }).end();
    await once(stranger, "error");
    const message = "a connection was refused at its TLS handshake";
    const reason = "UNABLE_TO_VERIFY_LEAF_SIGNATURE";
    await expect.poll(() => infos).toContainEqual(expect.objectContaining({ message, reason }));
  });

  it("uses a renewed certificate for new connections, and the old one if the new one is unusable", async () => {
    const server = await serve(own);
    const trusting = { ...own, ca: ours.ca };
    const open = createServiceTransport({ urls: [server.url], logger: recordingLogger(), tls: trusting });
    closing.push(() => open.close());
    await callerOver(open)("once");
    server.renewTls(await ours.certify({ host: "elsewhere.example" }));
    expect(await outcome(server.url, trusting)).toBe("It has a TLS certificate for another host name.");
    // Open connections stay open.
    await callerOver(open)("once");
    const expired = await ours.certify({ expired: true });
    expect(() => {
      server.renewTls(expired);
    }).toThrow(TlsError);
    server.renewTls(await ours.certify());
    expect(await outcome(server.url, trusting)).toBe("answered");
    const limits = { attempts: 1, connectTimeoutMs: 5000 };
    const stranger = { ...(await theirs.certify()), ca: ours.ca };
    const calling = createServiceTransport({
      urls: [server.url],
      logger: recordingLogger(),
      limits,
      tls: stranger,
    });
    closing.push(() => calling.close());
    await expect(callerOver(calling)("once")).rejects.toThrow();
    calling.renewTls(own);
    await expect.poll(() => calling.health()[0]?.state).toBe("ready");
  });

  it("closes although a connection never begins its handshake", async () => {
    const server = await serve(own);
    const silent = connect(server.port, "127.0.0.1");
    silent.on("error", () => undefined);
    await once(silent, "connect");
    await Promise.all([once(silent, "close"), server.close(60_000)]);
  });
});

describe("certificates that cannot be used", () => {
  const unusable: Readonly<Record<string, readonly [() => Promise<RpcTls>, RegExp]>> = {
    "another key": [async () => ({ ...own, key: (await ours.certify()).key }), /do not belong together/],
    "no certificate": [
      () => Promise.resolve({ ...own, certificate: "none" }),
      /^The TLS certificate is no PEM text/,
    ],
    "no key": [() => Promise.resolve({ ...own, key: own.certificate }), /^The TLS key is no PEM text/],
    "no authority": [
      () => Promise.resolve({ ...own, ca: "?" }),
      /^The certificate of the TLS authority is no PEM/,
    ],
    "an expired one": [
      () => ours.certify({ expired: true }),
      /^The TLS certificate has expired: it was valid until/,
    ],
  };

  it.each(Object.entries(unusable))(
    "are reported at the start, on both sides: %s",
    async (_, [make, sentence]) => {
      const tls = await make();
      const error = await caught(serve(tls));
      expect(error).toBeInstanceOf(TlsError);
      expect(error).toMatchObject({ message: expect.stringMatching(sentence) as string });
      expect(() => createServiceTransport({ urls: ["https://a"], tls, logger: recordingLogger() })).toThrow(
        sentence,
      );
    },
  );
});
