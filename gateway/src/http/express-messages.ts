import { IncomingMessage, ServerResponse } from "node:http";

import type { Express } from "express";

/** Classes of which a server makes its messages, as `createServer` takes them. */
export interface ExpressMessages {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  /** From now on they are those of this app. */
  belongTo(app: Express): void;
}

/**
 * Express gives each message the prototype of its app, and to change that of an object takes V8 longer than to find its route. The
 * messages of these classes have it from the beginning.
 */
export function createExpressMessages(): ExpressMessages {
  class Incoming extends IncomingMessage {}
  class Outgoing<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  return {
    IncomingMessage: Incoming,
    ServerResponse: Outgoing,
    belongTo(app) {
      Object.setPrototypeOf(Incoming.prototype, app.request);
      Object.setPrototypeOf(Outgoing.prototype, app.response);
      Object.assign(app, { request: Incoming.prototype, response: Outgoing.prototype });
    },
  };
}
