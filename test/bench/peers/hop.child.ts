import { createServer as createHttp1Server } from "node:http";
import { createServer as createHttp2Server } from "node:http2";

import { connectNodeAdapter } from "@connectrpc/connect-node";
import { openRpcListener, route, type ServiceImplementation } from "@hostledger/rpc";
import { silentLogger } from "@hostledger/runtime";
import { listen } from "@hostledger/runtime/testing/listen";
import { z } from "zod";

import { serveParent } from "../harness/child.ts";
import { hopInterceptors, hopService, type HopPorts } from "./hop.ts";

/** A service in its own process, served in every compared way. Returns its ports or its CPU time on request. */
const logger = silentLogger();
const ours = await openRpcListener({ host: "127.0.0.1", port: 0, logger });
ours.serve({ services: [hopService], interceptors: hopInterceptors });
const oursBare = await openRpcListener({ host: "127.0.0.1", port: 0, logger });
oursBare.serve({ services: [hopService], interceptors: [] });

/** Connect's own server, with our interceptors or without. */
function connects(service: ServiceImplementation, isBare: boolean) {
  const interceptors = isBare ? [] : hopInterceptors;
  return connectNodeAdapter({
    routes: (router) => {
      route(router, [service], interceptors);
    },
  });
}

const echo1 = createHttp1Server((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const body = Buffer.concat(pieces);
    response.writeHead(200, { "content-type": "application/proto", "content-length": body.length });
    response.end(body);
  });
});
const echo2 = createHttp2Server();
echo2.on("session", (session) => {
  session.on("stream", (stream) => {
    const pieces: Buffer[] = [];
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("end", () => {
      const body = Buffer.concat(pieces);
      stream.respond({ ":status": 200, "content-type": "application/proto", "content-length": body.length });
      stream.end(body);
    });
  });
});

const ports: HopPorts = {
  ours: ours.port,
  oursBare: oursBare.port,
  http1: await listen(createHttp1Server(connects(hopService, false))),
  http1Bare: await listen(createHttp1Server(connects(hopService, true))),
  http2: await listen(createHttp2Server(connects(hopService, false))),
  http2Bare: await listen(createHttp2Server(connects(hopService, true))),
  echo1: await listen(echo1),
  echo2: await listen(echo2),
};

const question = z.object({ of: z.enum(["ports", "cpu"]) });
serveParent((asked) => Promise.resolve(question.parse(asked).of === "ports" ? ports : process.cpuUsage()));
