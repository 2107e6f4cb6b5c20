import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";

import { certify, makeAuthority } from "@hostledger/runtime/certificates";

import type { SandboxOptions } from "../../sandbox/sandbox.ts";
import { SandboxFixture } from "../../sandbox/open-sandbox.fixture.ts";
import { encodeFrame, FrameReader } from "../frames.ts";
import { namespaces } from "../namespaces.ts";
import { descendantOf, parseXml, type XmlElement } from "../xml.ts";
import { serveRegistry, type RegistryServer, type RegistryServerOptions } from "./registry-server.ts";

const { epp } = namespaces;

const authority = await makeAuthority("Hostledger sandbox registry CA");
const certificate = await certify(authority, {
  commonName: "Hostledger sandbox registry",
  hosts: ["127.0.0.1"],
});

export const ca = authority.certificate;

export const accounts: ReadonlyMap<string, string> = new Map([
  ["sandbox", "first-password"],
  ["sandbox2", "second-password"],
]);

/** A test registry with its own sandbox. */
export class ServedRegistry {
  readonly fixture: SandboxFixture;
  readonly failures: readonly unknown[];
  readonly server: RegistryServer;

  static async start(
    options: Partial<RegistryServerOptions> = {},
    sandbox: Partial<SandboxOptions> = {},
  ): Promise<ServedRegistry> {
    const fixture = new SandboxFixture();
    const failures: unknown[] = [];
    const server = await serveRegistry({
      sandbox: fixture.open(sandbox),
      clock: fixture.clock,
      tls: certificate,
      accounts,
      onFailure: (error) => failures.push(error),
      ...options,
    });
    return new ServedRegistry(fixture, failures, server);
  }

  constructor(fixture: SandboxFixture, failures: readonly unknown[], server: RegistryServer) {
    this.fixture = fixture;
    this.failures = failures;
    this.server = server;
  }

  async connect(): Promise<EppClient> {
    const client = await EppClient.connect(this.server.port);
    await client.next();
    return client;
  }

  async login(registrar = "sandbox"): Promise<EppClient> {
    const client = await this.connect();
    await client.send(loginXml(registrar, accounts.get(registrar) ?? ""));
    return client;
  }

  async close(): Promise<void> {
    await this.server.close();
    this.fixture.close();
  }
}

/** A raw client that sends given frames. */
export class EppClient {
  readonly socket: TLSSocket;
  readonly #frames = new FrameReader();
  readonly #come: string[] = [];
  #broken: unknown;
  #wake = Promise.withResolvers<undefined>();

  static async connect(port: number): Promise<EppClient> {
    const socket = connect({ port, host: "127.0.0.1", ca });
    await once(socket, "secureConnect");
    return new EppClient(socket);
  }

  constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Uint8Array) => {
      try {
        this.#come.push(...this.#frames.push(chunk));
      } catch (error) {
        this.#broken = error;
      }
      this.#awake();
    });
    socket.on("close", () => {
      this.#awake();
    });
  }

  /** Returns the next frame. Rejects if the connection closes first. */
  async next(): Promise<XmlElement> {
    for (;;) {
      const xml = this.#come.shift();
      if (xml !== undefined) return parseXml(xml);
      if (this.#broken !== undefined) throw new Error("The frames are broken.", { cause: this.#broken });
      if (this.socket.closed) throw new Error(this.#frames.isHalf ? "closed in a frame" : "closed");
      await this.#wake.promise;
    }
  }

  async send(xml: string): Promise<Response> {
    this.socket.write(encodeFrame(xml));
    return new Response(await this.next());
  }

  command(inner: string, clTRID = `test-${String(Math.random())}`): Promise<Response> {
    return this.send(commandXml(inner, clTRID));
  }

  close(): void {
    this.socket.destroy();
  }

  #awake(): void {
    this.#wake.resolve(undefined);
    this.#wake = Promise.withResolvers();
  }
}

/** A response with accessors for tests. */
export class Response {
  readonly root: XmlElement;

  constructor(root: XmlElement) {
    this.root = root;
  }

  get code(): string {
    return descendantOf(this.root, epp, "response", "result")?.attributes.code ?? "none";
  }

  get reason(): string {
    return this.text("reason");
  }

  text(name: string): string {
    return this.all(name)[0]?.text ?? "";
  }

  texts(name: string): string[] {
    return this.all(name).map(({ text }) => text);
  }

  all(name: string): XmlElement[] {
    return within(this.root).filter((element) => element.name === name);
  }

  statuses(): string[] {
    return this.all("status").map(({ attributes }) => attributes.s ?? "");
  }
}

function within(element: XmlElement): XmlElement[] {
  return [element, ...element.children.flatMap(within)];
}

export function commandXml(inner: string, clTRID = "test-1"): string {
  return `<?xml version="1.0"?><epp xmlns="${epp}"><command>${inner}<clTRID>${clTRID}</clTRID></command></epp>`;
}

export const xmlns = {
  domain: `xmlns:domain="${namespaces.domain}"`,
  contact: `xmlns:contact="${namespaces.contact}"`,
  host: `xmlns:host="${namespaces.host}"`,
  rgp: `xmlns:rgp="${namespaces.rgp}"`,
  secDns: `xmlns:secDNS="${namespaces.secDns}"`,
  fee: `xmlns:fee="${namespaces.fee}"`,
} as const;

export function loginXml(
  registrar: string,
  password: string,
  objects: readonly string[] = [namespaces.domain, namespaces.contact, namespaces.host],
  extensions: readonly string[] = [namespaces.secDns, namespaces.rgp, namespaces.fee],
): string {
  const listed = (name: string, uris: readonly string[]) =>
    uris.map((uri) => `<${name}>${uri}</${name}>`).join("");
  return commandXml(
    `<login><clID>${registrar}</clID><pw>${password}</pw><options><version>1.0</version><lang>en</lang></options>` +
      `<svcs>${listed("objURI", objects)}<svcExtension>${listed("extURI", extensions)}</svcExtension></svcs></login>`,
  );
}

/** Returns a command on a domain. @param rest elements after the name */
export function domainXml(verb: string, name: string, rest = "", op = ""): string {
  const operation = op === "" ? "" : ` op="${op}"`;
  return `<${verb}${operation}><domain:${verb} ${xmlns.domain}><domain:name>${name}</domain:name>${rest}</domain:${verb}></${verb}>`;
}

export const pw = (code: string): string =>
  `<domain:authInfo><domain:pw>${code}</domain:pw></domain:authInfo>`;
