import type { ServiceImpl } from "@connectrpc/connect";
import type { audit } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import type { AuditDependencies } from "../dependencies.ts";
import { differencesOf, type Scrub } from "../scrub/scrub.ts";
import { admitted } from "./use.ts";

/** `GetLogStatus`: the state of the log, and the progress of the comparison with the store. */
export function logStatus(
  dependencies: AuditDependencies,
): Pick<ServiceImpl<typeof audit.AuditService>, "getLogStatus"> {
  const { log, scrub } = dependencies;
  const checkFile = oneAtATime(dependencies.checkFile);
  return {
    async getLogStatus(request, context) {
      await admitted(
        dependencies,
        context,
        "GetLogStatus",
        request.checkFile ? "the store's file" : "the log",
      );
      const { status, sentence = "" } = log.health();
      const isThere = log.lost === undefined;
      return {
        state: status,
        sentence,
        size: BigInt(isThere ? log.size : 0),
        signedSize: BigInt(isThere ? log.checkpoint().size : 0),
        mended: [...log.mended()],
        fileProblems: request.checkFile ? [...(await checkFile())] : [],
        ...(scrub === undefined ? {} : { scrub: scrubMessage(scrub) }),
      };
    },
  };
}

function scrubMessage(scrub: Scrub) {
  const { place, roundStartedAt, roundEndedAt, first = "", fileCheckedAt, fileProblems } = scrub.state();
  return {
    rate: BigInt(scrub.rate),
    compared: BigInt(place.index),
    differences: BigInt(differencesOf(scrub.state())),
    firstDifference: first,
    fileProblems: [...fileProblems],
    ...defined({ roundStartedAt, roundEndedAt, fileCheckedAt }),
  };
}

/** Lets concurrent callers share one check, because it reads every page of the file. */
function oneAtATime(check: AuditDependencies["checkFile"]): () => Promise<readonly string[]> {
  let running: Promise<readonly string[]> | undefined;
  return () => {
    if (check === undefined) return Promise.resolve([]);
    running ??= check().finally(() => {
      running = undefined;
    });
    return running;
  };
}
