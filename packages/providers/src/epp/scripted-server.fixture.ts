import { once } from "node:events";
import { createServer, type TLSSocket } from "node:tls";

import { listen } from "@hostledger/runtime/testing";
import { generate } from "selfsigned";

import { encodeFrame, FrameReader } from "./frames.ts";
import { namespaces } from "./namespaces.ts";
import { buildXml, childOf, descendantOf, element, parseXml, type XmlElement } from "./xml.ts";

const { epp, domain, host, contact } = namespaces;
const day = 86_400_000;

/** A self-signed certificate and its key, PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** Creates a certificate for a host. @param untilMs end of its validity, in milliseconds since 1970. */
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

/** A scripted server's reaction to a frame: bytes to answer, and whether it then closes the connection. */
export interface Scripted {
  readonly bytes?: Uint8Array;
  readonly closes?: boolean;
}

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

export function framed(xml: string): Scripted {
  return { bytes: encodeFrame(xml) };
}

export function idOf(command: XmlElement): string {
  return descendantOf(command, epp, "command", "clTRID")?.text ?? "";
}

/** Behaviour of a scripted server; absent parts are correct. */
export interface Script {
  readonly certificate?: Certificate;
  readonly greeting?: Scripted;
  /** Answers to a login and to other commands. */
  readonly login?: (command: XmlElement) => Scripted;
  readonly answer?: (command: XmlElement) => Scripted;
}

const localhost = await certificateFor("localhost");

/** An EPP server controlled by a test. */
export class ScriptedServer {
  readonly ca: string;
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
