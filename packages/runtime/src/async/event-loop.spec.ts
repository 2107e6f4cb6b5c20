import { expect, it } from "vitest";

import { afterThisTurn, yieldToOthers } from "./event-loop.ts";

it("lets what waits for the end of the turn happen first", async () => {
  const diary: string[] = [];
  afterThisTurn(() => diary.push("after this turn"));
  diary.push("now");
  await yieldToOthers();
  diary.push("afterwards");
  expect(diary).toEqual(["now", "after this turn", "afterwards"]);
});
