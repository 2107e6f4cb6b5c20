import { Agent, request } from "node:http";
import { connect } from "node:http2";

/** About as long as the message of a call. */
const body = Buffer.alloc(90, 1);
const type = { "content-type": "application/proto", "content-length": body.length };

/** Calls, and the end of their connections. */
export interface EchoCalls {
  readonly call: () => Promise<void>;
  readonly close: () => void;
}

/** The least that a call over HTTP/1.1 with kept connections can be. */
export function echoOverHttp1(port: number): EchoCalls {
  const agent = new Agent({ keepAlive: true });
  const options = { host: "127.0.0.1", port, method: "POST", path: "/echo", agent, headers: type };
  return {
    call: () =>
      new Promise((resolve, reject) => {
        const sent = request(options, (response) => {
          response.on("end", resolve).resume();
        });
        sent.on("error", reject).end(body);
      }),
    close: () => {
      agent.destroy();
    },
  };
}

/** The least that a call over one connection of HTTP/2 can be. */
export function echoOverHttp2(port: number): EchoCalls {
  const session = connect(`http://127.0.0.1:${String(port)}`);
  return {
    call: () =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ":method": "POST", ":path": "/echo", ...type });
        stream.on("error", reject).on("end", resolve).resume().end(body);
      }),
    close: () => {
      session.destroy();
    },
  };
}
