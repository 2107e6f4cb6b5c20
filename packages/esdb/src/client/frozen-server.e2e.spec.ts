import { describeFrozenServer } from "./frozen-server.fixture.ts";

// Just long enough to be noticed; `frozen-server.long` uses realistic durations.
describeFrozenServer({ frozenMs: 600, awayMs: 200, restMs: 200, answerMs: 200 });
