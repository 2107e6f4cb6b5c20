import { describeFrozenServer } from "./frozen-server.fixture.ts";

describeFrozenServer({ frozenMs: 3_000, awayMs: 1_000, restMs: 500, answerMs: 500 });
