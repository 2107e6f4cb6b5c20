import { once } from "node:events";
import { connect, createServer, type TLSSocket } from "node:tls";

import { listen } from "@hostledger/runtime/testing";

import { encodeFrame, FrameReader } from "../epp/index.ts";

/** Moment of a cut: before the registry receives a command, or between carrying it out and answering. */
export type CutMoment = "before" | "after";

/** A server's certificate in PEM and its authority. */
export interface WireCertificates {
  readonly ca: string;
  readonly tls: { readonly key: string; readonly certificate: string };
}

/** Matches commands on objects, without session and poll commands, which come at any time. */
const objectCommand =
  /<(?:\w+:)?command[^>]*>\s*<(?:\w+:)?(check|create|info|renew|update|delete|transfer)\b[\s\S]*?xmlns:?\w*="urn:ietf:params:xml:ns:(\w+)-1\.0"/;

/** A connection to a registry that can be cut at any command (RFC 5734 §2). */
export class CuttableWire {
  /** Commands sent since the last `watch`, such as `create domain`. */
  readonly sent: string[] = [];
  #cut: { readonly at: number; readonly moment: CutMoment } | undefined;

  /** Starts counting and cuts the connection at this command, from 0; absent for no cut. */
  watch(cut?: { readonly at: number; readonly moment: CutMoment }): void {
    this.sent.length = 0;
    this.#cut = cut;
  }

  /** True after the cut, or if none is planned. */
  get isCut(): boolean {
    return this.#cut === undefined;
  }

  /** @param port port of the registry on 127.0.0.1 */
  async open(port: number, { ca, tls }: WireCertificates): Promise<{ port: number; close(): Promise<void> }> {
    const sockets = new Set<TLSSocket>();
    const server = createServer({ key: tls.key, cert: tls.certificate }, (client) => {
      const registry = connect({ port, host: "127.0.0.1", ca });
      for (const socket of [client, registry]) {
        sockets.add(socket);
        socket.on("error", () => socket.destroy());
        socket.once("close", () => {
          sockets.delete(socket);
          client.destroy();
          registry.destroy();
        });
      }
      this.#join(client, registry);
    });
    return {
      port: await listen(server),
      close: async () => {
        for (const socket of sockets) socket.destroy();
        server.close();
        await once(server, "close");
      },
    };
  }

  #join(client: TLSSocket, registry: TLSSocket): void {
    const [commands, answers] = [new FrameReader(), new FrameReader()];
    let isDeaf = false;
    client.on("data", (chunk: Uint8Array) => {
      for (const xml of commands.push(chunk)) {
        const moment = this.#momentOf(xml);
        if (moment === "before") {
          client.destroy();
          return;
        }
        isDeaf ||= moment === "after";
        registry.write(encodeFrame(xml));
      }
    });
    registry.on("data", (chunk: Uint8Array) => {
      for (const xml of answers.push(chunk)) {
        if (isDeaf) {
          client.destroy();
          return;
        }
        client.write(encodeFrame(xml));
      }
    });
  }

  #momentOf(xml: string): CutMoment | undefined {
    const [, command, object] = objectCommand.exec(xml) ?? [];
    if (command === undefined || object === undefined) return undefined;
    this.sent.push(`${command} ${object}`);
    if (this.#cut?.at !== this.sent.length - 1) return undefined;
    const { moment } = this.#cut;
    this.#cut = undefined;
    return moment;
  }
}
