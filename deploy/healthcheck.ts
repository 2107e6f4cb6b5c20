import { readFileSync } from "node:fs";
import { request as requestPlain, type RequestOptions } from "node:http";
import { request as requestSecurely } from "node:https";

/**
 * Asks the container's own listener whether it lives, and ends with 0 when it does, otherwise with 1. Another path than
 * `/healthz` may be given, for example `/readyz`. Where the settings name a certificate, the question is asked as another
 * part of the deployment would ask it.
 */
const [path = "/healthz"] = process.argv.slice(2);
const {
  HOSTLEDGER_RPC_PORT: rpcPort,
  HOSTLEDGER_PORT: apiPort = "8080",
  HOSTLEDGER_TLS_CERTIFICATE: certificate,
  HOSTLEDGER_TLS_KEY: key,
} = process.env;

const options: RequestOptions = { host: "127.0.0.1", port: rpcPort ?? apiPort, path, timeout: 3_000 };
const question =
  rpcPort === undefined || certificate === undefined || key === undefined
    ? requestPlain(options)
    : requestSecurely({
        ...options,
        cert: readFileSync(certificate),
        key: readFileSync(key),
        // The certificate names the service, not this address, and nobody else answers inside the container.
        rejectUnauthorized: false,
      });

function exitWith(isWell: boolean): never {
  process.exit(isWell ? 0 : 1);
}

question.once("response", ({ statusCode }) => exitWith(statusCode === 200));
question.once("timeout", () => exitWith(false));
question.once("error", () => exitWith(false));
question.end();
