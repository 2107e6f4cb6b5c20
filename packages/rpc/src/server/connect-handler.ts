import { connectNodeAdapter, type ConnectNodeAdapterOptions } from "@connectrpc/connect-node";

import type { HttpHandler } from "./http-listener.ts";
import { refuseHost } from "./plain-answers.ts";

type AnyHttpRequest = Parameters<HttpHandler>[0];

/**
 * Connect's handlers over HTTP, for requests of anybody. Connect makes a URL of the host that a request names, before it looks at
 * the rest, and throws where that is none: in a listener of Node's nobody catches it, and the process would end.
 */
export function connectHandler(options: ConnectNodeAdapterOptions): HttpHandler {
  const answer = connectNodeAdapter(options);
  return (request, response) => {
    if (namesHost(request)) answer(request, response);
    else refuseHost(response);
  };
}

function namesHost(request: AnyHttpRequest): boolean {
  const host = "authority" in request ? request.authority : request.headers.host;
  return URL.canParse(`http://${host ?? ""}`);
}
