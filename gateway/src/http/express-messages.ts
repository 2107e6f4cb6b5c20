import { IncomingMessage, ServerResponse } from "node:http";

import type { Express } from "express";

/** Message classes for `createServer`. */
export interface ExpressMessages {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  /** Sets the prototypes of an app's request and response. */
  belongTo(app: Express): void;
}

/** Creates message classes with Express's prototypes; replacing prototypes per message costs more than routing. */
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
