import { Agent } from "node:http";

import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { createInProcessTransport, createServiceTransport } from "@hostledger/rpc";
import { silentLogger } from "@hostledger/runtime";
import { z } from "zod";

import { alternate, type Contender } from "../harness/alternate.ts";
import { callsPerSecond } from "../harness/callers.ts";
import { startChild, type Child } from "../harness/child.ts";
import { line, median, type Line, type RowResult } from "../harness/result.ts";
import type { Pace, Settings } from "../harness/settings.ts";
import { echoOverHttp1, echoOverHttp2 } from "../peers/echo-calls.ts";
import { hopInterceptors, hopOver, hopPortsSchema, hopService, type HopPorts } from "../peers/hop.ts";

/** A way to make the call. */
interface Way {
  readonly name: string;
  readonly call: () => Promise<unknown>;
}

const floorName = "node:http2, an echo";

/** (r) One call to a service in another process: over our transport, over Connect's own client and server, and as a bare echo. */
export async function measure({ quick }: Settings): Promise<RowResult> {
  const pace: Pace = quick
    ? { rounds: 1, warmUpMs: 30, sampleMs: 60 }
    : { rounds: 5, warmUpMs: 100, sampleMs: 500 };
  await using child = startChild(new URL("../peers/hop.child.ts", import.meta.url));
  const { ways, close } = waysTo(hopPortsSchema.parse(await child.ask({ of: "ports" })));
  const lines: Line[] = [];
  const notes: string[] = [];
  for (const callers of [1, 32]) {
    const cost = new CostOfCalls(child);
    const contender = ({ name, call }: Way): Contender => ({
      name,
      sample: () => cost.within(name, () => callsPerSecond(callers, pace, () => cost.counted(name, call))),
    });
    const samples = await alternate(ways.map(contender), pace.rounds);
    const floor = samples[ways.findIndex(({ name }) => name === floorName)] ?? [];
    const unit = `${String(callers)} caller${callers === 1 ? "" : "s"}, calls/s`;
    for (const [index, { name }] of ways.entries())
      if (name !== floorName)
        lines.push(line(`${name}, ${unit}`, samples[index] ?? [], { name: floorName, samples: floor }));
    notes.push(
      `${unit.replace(", calls/s", "")}, CPU of a call at the client + at the server, µs: ${cost.medians()}.`,
    );
  }
  await close();
  return { lines, notes };
}

/** Every way of the comparison, ours first. */
function waysTo(ports: HopPorts): { readonly ways: readonly Way[]; readonly close: () => Promise<void> } {
  const urlOf = (port: number): string => `http://127.0.0.1:${String(port)}`;
  const logger = silentLogger();
  const ours = createServiceTransport({ urls: [urlOf(ports.ours)], logger });
  const oursBare = createServiceTransport({ urls: [urlOf(ports.oursBare)], logger });
  const agent = new Agent({ keepAlive: true });
  const http1 = (port: number) =>
    hopOver(createConnectTransport({ baseUrl: urlOf(port), httpVersion: "1.1", nodeOptions: { agent } }));
  const http2 = (port: number) => hopOver(createConnectTransport({ baseUrl: urlOf(port), httpVersion: "2" }));
  const grpc = (port: number) => hopOver(createGrpcTransport({ baseUrl: urlOf(port) }));
  const [echo1, echo2] = [echoOverHttp1(ports.echo1), echoOverHttp2(ports.echo2)];
  return {
    ways: [
      { name: "ours", call: hopOver(ours) },
      { name: "ours without interceptors", call: hopOver(oursBare) },
      { name: "connect-node over HTTP/2", call: http2(ports.http2) },
      { name: "connect-node over HTTP/2 without interceptors", call: http2(ports.http2Bare) },
      { name: "connect-node over HTTP/1.1", call: http1(ports.http1) },
      { name: "connect-node over HTTP/1.1 without interceptors", call: http1(ports.http1Bare) },
      { name: "gRPC of connect-node", call: grpc(ports.http2) },
      { name: "gRPC of connect-node without interceptors", call: grpc(ports.http2Bare) },
      { name: "node:http, an echo", call: echo1.call },
      { name: floorName, call: echo2.call },
      {
        name: "within the process",
        call: hopOver(createInProcessTransport([hopService], { interceptors: hopInterceptors })),
      },
    ],
    async close() {
      await Promise.all([ours.close(), oursBare.close()]);
      agent.destroy();
      echo1.close();
      echo2.close();
    },
  };
}

const cpuSchema = z.object({ user: z.number(), system: z.number() });

/** Processor time of calls, on which a busy machine has less effect than on their rate. */
class CostOfCalls {
  readonly #child: Child;
  readonly #calls = new Map<string, number>();
  readonly #spent = new Map<string, { readonly client: number[]; readonly server: number[] }>();

  constructor(child: Child) {
    this.#child = child;
  }

  counted<T>(name: string, call: () => Promise<T>): Promise<T> {
    this.#calls.set(name, (this.#calls.get(name) ?? 0) + 1);
    return call();
  }

  async within(name: string, work: () => Promise<number>): Promise<number> {
    this.#calls.set(name, 0);
    const [server, client] = [await this.#ofServer(), process.cpuUsage()];
    const result = await work();
    const { user, system } = process.cpuUsage(client);
    const calls = this.#calls.get(name) ?? 1;
    const spent = this.#spent.get(name) ?? { client: [], server: [] };
    spent.client.push((user + system) / calls);
    spent.server.push(((await this.#ofServer()) - server) / calls);
    this.#spent.set(name, spent);
    return result;
  }

  /** The medians, one after the other. */
  medians(): string {
    return [...this.#spent]
      .map(
        ([name, { client, server }]) => `${name} ${median(client).toFixed(0)} + ${median(server).toFixed(0)}`,
      )
      .join("; ");
  }

  async #ofServer(): Promise<number> {
    const { user, system } = cpuSchema.parse(await this.#child.ask({ of: "cpu" }));
    return user + system;
  }
}
