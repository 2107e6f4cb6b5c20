import { connectNodeAdapter, type ConnectNodeAdapterOptions } from "@connectrpc/connect-node";

import { shortenTimeout } from "../transport/timeout-header.ts";
import type { HttpHandler } from "./http-listener.ts";
import { refuseHost } from "./plain-answers.ts";

type AnyHttpRequest = Parameters<HttpHandler>[0];

/**
 * Creates Connect's handlers over HTTP for untrusted requests. Connect makes a URL of the request's host first and
 * throws if it is invalid; in a Node listener this would end the process, so it is caught here. Handlers are created
 * at the first request, one per method, because few processes are asked by all protocols.
 */
export function connectHandler(options: ConnectNodeAdapterOptions): HttpHandler {
  let answer: ReturnType<typeof connectNodeAdapter> | undefined;
  return (request, response) => {
    if (!namesHost(request)) {
      refuseHost(response);
      return;
    }
    answer ??= connectNodeAdapter(options);
    shortenTimeout(request.headers);
    answer(request, response);
  };
}

function namesHost(request: AnyHttpRequest): boolean {
  const host = "authority" in request ? request.authority : request.headers.host;
  return URL.canParse(`http://${host ?? ""}`);
}
