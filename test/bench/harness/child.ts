import { fork, type ForkOptions } from "node:child_process";
import { once } from "node:events";

import { z } from "zod";

/** A process of the benchmark: started by it, asked over IPC, ended by it. */
export interface Child {
  readonly pid: number;
  /** Sends a question and waits for its answer. @throws Error the child's error, or that the child ended. */
  ask(question: object): Promise<unknown>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const answerSchema = z.object({ answer: z.unknown().optional(), error: z.string().optional() });

/** Options of the child: another program to run it, arguments before the module, more environment. */
export type ChildOptions = Pick<ForkOptions, "execPath" | "execArgv" | "env">;

/** Starts a module of the benchmark as a process of its own. */
export function startChild(module: URL, args: readonly string[] = [], options: ChildOptions = {}): Child {
  const child = fork(module, args, {
    ...options,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    serialization: "advanced",
  });
  const exited = once(child, "exit");
  const killNow = (): void => void child.kill("SIGKILL");
  process.once("exit", killNow);
  async function stop(): Promise<void> {
    if (child.connected) child.disconnect();
    await exited;
    process.off("exit", killNow);
  }
  return {
    pid: child.pid ?? 0,
    async ask(question) {
      const answered = once(child, "message");
      child.send(question);
      const ended = exited.then(() =>
        Promise.reject(new Error(`${module.pathname} ended before its answer`)),
      );
      const [message]: unknown[] = await Promise.race([answered, ended]);
      const { answer, error } = answerSchema.parse(message);
      if (error !== undefined) throw new Error(error);
      return answer;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The child's end: answers one question after the other, and ends when the parent hangs up or dies. */
export function serveParent(
  answer: (question: unknown) => Promise<unknown>,
  close: () => Promise<void> | void = () => undefined,
): void {
  process.on("message", (question) => {
    answer(question).then(
      (value) => process.send?.({ answer: value }),
      (error: unknown) =>
        process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : "?" }),
    );
  });
  process.once("disconnect", () => {
    void Promise.resolve(close()).finally(() => process.exit());
  });
}
