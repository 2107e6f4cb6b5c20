import { createServer, connect } from "node:http2";

import { create, createFileRegistry, type DescMethodUnary } from "@bufbuild/protobuf";
import {
  EmptySchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_empty,
  MethodDescriptorProtoSchema,
  ServiceDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import { createConnectTransport, connectNodeAdapter } from "@connectrpc/connect-node";
import { listen } from "@hostledger/runtime/testing/listen";

/**
 * Measures a unary call of connect-node against a bare HTTP/2 stream, client and server in one process, for the
 * maintainers of connect-node. `node test/bench/peers/connect-node-cost.ts [CALLS]` prints microseconds of CPU per
 * call; `node --cpu-prof` shows where they go.
 */
const calls = Number(process.argv[2] ?? 20_000);
const concurrent = 32;

/** `service Echo { rpc Call(Empty) returns (Empty) }`, without generated code. */
function echoMethod(): DescMethodUnary {
  const empty = `.${EmptySchema.typeName}`;
  const call = { name: "Call", inputType: empty, outputType: empty };
  const method = create(MethodDescriptorProtoSchema, call);
  const service = create(ServiceDescriptorProtoSchema, { name: "Echo", method: [method] });
  const file = create(FileDescriptorProtoSchema, {
    name: "echo.proto",
    package: "echo",
    syntax: "proto3",
    dependency: [file_google_protobuf_empty.proto.name],
    service: [service],
  });
  const registry = createFileRegistry(file, () => file_google_protobuf_empty.proto);
  const methods = registry.getService("echo.Echo")?.methods ?? [];
  const [found] = methods.filter((each): each is DescMethodUnary => each.methodKind === "unary");
  if (found === undefined) throw new Error("the method is unary");
  return found;
}

async function costOf(call: () => Promise<unknown>): Promise<number> {
  let started = 0;
  const run = async (): Promise<void> => {
    while (started < calls) {
      started += 1;
      await call();
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: concurrent }, run));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

const method = echoMethod();
const served = createServer(
  connectNodeAdapter({
    routes: (router) => {
      router.rpc(method, () => ({}));
    },
  }),
);
const baseUrl = `http://127.0.0.1:${String(await listen(served))}`;
const transport = createConnectTransport({ baseUrl, httpVersion: "2" });
const callConnect = () => transport.unary(method, undefined, 30_000, undefined, {});

const bare = createServer();
bare.on("session", (session) => {
  session.on("stream", (stream) => {
    stream.resume().on("end", () => {
      stream.respond({ ":status": 200, "content-type": "application/proto", "content-length": 0 });
      stream.end();
    });
  });
});
const session = connect(`http://127.0.0.1:${String(await listen(bare))}`);
const callBare = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const stream = session.request({ ":method": "POST", ":path": "/", "content-type": "application/proto" });
    stream.on("error", reject).on("end", resolve).resume().end();
  });

for (const round of ["warming up", "measured"]) {
  const [connectUs, bareUs] = [await costOf(callConnect), await costOf(callBare)];
  console.log(
    `${round}: connect-node ${connectUs.toFixed(0)} µs of CPU a call, node:http2 ${bareUs.toFixed(0)} µs`,
  );
}
process.exit();
