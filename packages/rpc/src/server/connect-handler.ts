import { connectNodeAdapter, type ConnectNodeAdapterOptions } from "@connectrpc/connect-node";

import { shortenTimeout } from "../transport/timeout-header.ts";
import type { HttpHandler } from "./http-listener.ts";
import { refuseHost } from "./plain-answers.ts";

type AnyHttpRequest = Parameters<HttpHandler>[0];

/**
 * Connect's handlers over HTTP, for requests of anybody. Connect makes a URL of the host that a request names, before it looks at
 * the rest, and throws where that is none: in a listener of Node's nobody catches it, and the process would end.
 *
 * They are made for the first request: one for each method, and few processes are asked by all protocols.
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
