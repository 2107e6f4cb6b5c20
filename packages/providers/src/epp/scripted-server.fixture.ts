import { once } from "node:events";
import { createServer, type TLSSocket } from "node:tls";

import { listen } from "@hostledger/runtime/testing";
import { generate } from "selfsigned";

import { encodeFrame, FrameReader } from "./frames.ts";
import { namespaces } from "./namespaces.ts";
import { buildXml, childOf, descendantOf, element, parseXml, type XmlElement } from "./xml.ts";

const { epp, domain, host, contact } = namespaces;
const day = 86_400_000;

/** A certificate and its key, PEM; it vouches for itself. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** Makes a certificate for a host. @param untilMs when it ends, in milliseconds since 1970. */
export async function certificateFor(host: string, untilMs = Date.now() + day): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: "commonName", value: host }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(untilMs - 10 * day),
    notAfterDate: new Date(untilMs),
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: host }] }],
  });
  return { certificate: cert, key };
}

/** What a scripted server does with a frame: the bytes it answers, and whether it closes the connection then. */
export interface Scripted {
  readonly bytes?: Uint8Array;
  readonly closes?: boolean;
}

/** A greeting that offers these objects. */
export function greeting(objects: readonly string[] = [domain, contact, host]): string {
  const menu = [
    element(epp, "version", "1.0"),
    element(epp, "lang", "en"),
    ...objects.map((uri) => element(epp, "objURI", uri)),
  ];
  return buildXml(
    element(epp, "epp", [
      element(epp, "greeting", [
        element(epp, "svID", "scripted"),
        element(epp, "svDate", "2026-11-22T00:00:00Z"),
        element(epp, "svcMenu", menu),
      ]),
    ]),
  );
}

/** A response to a command. */
export function response(
  code: number,
  clientTransactionId: string | undefined,
  data?: XmlElement,
  message = "Said by a script",
): string {
  const result = element(epp, "result", [element(epp, "msg", message)], { code: String(code) });
  const ids = [
    clientTransactionId === undefined ? undefined : element(epp, "clTRID", clientTransactionId),
    element(epp, "svTRID", "sv-1"),
  ];
  const parts = [result, data && element(epp, "resData", [data]), element(epp, "trID", ids)];
  return buildXml(element(epp, "epp", [element(epp, "response", parts)]));
}

/** A frame that is answered with. */
export function framed(xml: string): Scripted {
  return { bytes: encodeFrame(xml) };
}

/** The id of a command. */
export function idOf(command: XmlElement): string {
  return descendantOf(command, epp, "command", "clTRID")?.text ?? "";
}

/** How a scripted server behaves; what is absent is as it should be. */
export interface Script {
  readonly certificate?: Certificate;
  readonly greeting?: Scripted;
  /** What is answered to a login, and what to any other command. */
  readonly login?: (command: XmlElement) => Scripted;
  readonly answer?: (command: XmlElement) => Scripted;
}

const localhost = await certificateFor("localhost");

/** An EPP server that does what a test tells it. */
export class ScriptedServer {
  /** PEM. */
  readonly ca: string;
  /** What came, in order. */
  readonly received: XmlElement[] = [];
  connections = 0;
  readonly #script: Script;
  readonly #server: ReturnType<typeof createServer>;
  readonly #sockets = new Set<TLSSocket>();

  constructor(script: Script = {}) {
    const { certificate, key } = script.certificate ?? localhost;
    this.ca = certificate;
    this.#script = script;
    this.#server = createServer({ cert: certificate, key }, (socket) => {
      this.#serve(socket);
    });
    this.#server.on("tlsClientError", () => undefined);
  }

  start(): Promise<number> {
    return listen(this.#server);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.dropAll();
    await closed;
  }

  /** Closes every connection. */
  dropAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: TLSSocket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
    const reader = new FrameReader();
    socket.on("data", (chunk: Buffer) => {
      for (const xml of reader.push(chunk)) this.#act(socket, this.#answerTo(parseXml(xml)));
    });
    this.#act(socket, this.#script.greeting ?? framed(greeting()));
  }

  #answerTo(command: XmlElement): Scripted {
    this.received.push(command);
    const { login = accepted, answer = accepted } = this.#script;
    if (childOf(command, epp, "hello") !== undefined) return framed(greeting());
    return descendantOf(command, epp, "command", "login") === undefined ? answer(command) : login(command);
  }

  #act(socket: TLSSocket, { bytes, closes = false }: Scripted): void {
    if (bytes !== undefined) socket.write(bytes);
    if (closes) socket.end();
  }
}

function accepted(command: XmlElement): Scripted {
  return framed(response(1000, idOf(command)));
}
