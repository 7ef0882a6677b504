/* The transitions, each within one step; all work on row `e`. */

/* ---- Parts ---- */

/* The oldest unsettled row of the lane becomes its head. */
#define PROMOTE(r) if :: SAME_LANE(r, e) && IS_LIVE(r) && IS_OLDEST(r) -> row[r].head = 1 :: else fi
inline promote() { PROMOTE(0); PROMOTE(1); PROMOTE(2); PROMOTE(3) }

inline settle(final) {
    HOLD(REOPENED, IS_LIVE(e));
    row[e].state = final; row[e].head = 0; row[e].owner = NOBODY;
    row[e].token = 0; row[e].crashes = 0; row[e].marked = 0; row[e].cancel = 0; row[e].maybe = 0
}

inline put(state_after) {
    HOLD(REOPENED, IS_LIVE(e));
    row[e].state = state_after; row[e].owner = NOBODY; row[e].token = 0
}

inline let_go(s) {
    hand[s].at = IDLE; hand[s].entry = 0; hand[s].token = 0; hand[s].verdict = 0;
    hand[s].marked = 0; hand[s].late = 0; hand[s].lost = 0
}

/* ---- The person ---- */

/* T-enqueue: row and head in one transaction; it is told as accepted after its COMMIT. */
inline enqueue(new) {
    row[new].state = QUEUED; row[new].head = IS_OLDEST(new); row[new].accepted = 1;
    printf("T-enqueue of row %d\n", new)
}

inline retry() {
    printf("the person retries row %d\n", e);
    if :: row[e].maybe -> row[e].word = 1 :: else fi;
    row[e].crashes = 0;
#ifdef FIRST_TRY_BY_COUNT
    row[e].attempts = 0;
#endif
    put(QUEUED)
}

inline edit() {
    printf("the person edits row %d, which makes row 3\n", e);
    edited = 1;
    settle(DROPPED);
    row[3].kind = row[e].kind; row[3].place = row[e].place;
    row[3].state = QUEUED; row[3].accepted = 1;
    promote()
}

/* ---- A try ---- */

/* T-claim. Where the other sender still has this row in hand, under a lease that it lost, the token differs from its. */
inline claim(s) {
    printf("%c: T-claim of row %d\n", NAME(s), e);
    HOLD(UNHEARD, !row[e].cancel);
    row[e].state = SENDING;
    row[e].owner = OWNER(s);
    row[e].token = HAS(1 - s, e) && !hand[1 - s].token;
    hand[s].at = CLAIMED; hand[s].entry = e; hand[s].token = row[e].token;
    if :: row[e].kind == KEYED && !row[e].marked -> row[e].marked = 1; hand[s].marked = 1 :: else fi;
#ifdef REMOVE_THEN_SEND
    row[e].state = NONE; row[e].head = 0
#endif
}

/* T-sending: that it may have been sent is committed before the first byte leaves. */
inline mark(s, next) {
    if
    :: HOLDS_LEASE(s) ->
        if :: !row[e].marked -> row[e].marked = 1; hand[s].marked = 1 :: else fi;
        hand[s].at = next;
        printf("%c: T-sending of row %d\n", NAME(s), e)
    :: else -> printf("%c: T-sending of row %d: lease lost\n", NAME(s), e); let_go(s)
    fi
}

/* The origin carries a request out, or knows its key and gives the stored answer. */
inline arrive() {
    COMES_ABOUT(CAME_LATE, !HAS(0, e) && !HAS(1, e));
    COMES_ABOUT(KNOWN, ORIGIN_KNOWS(e));
    if
    :: ORIGIN_KNOWS(e) -> printf("the origin knows the key of row %d\n", e)
    :: else ->
        printf("the origin carries out row %d\n", e);
        HOLD(TWICE, row[e].kind != KEYED || !row[e].effect);
        HOLD(OVERTAKEN, IS_OLDEST(e) && (!IS_PASSED(e) || row[e].state == DROPPED || row[e].word == 2));
        row[e].effect = 1;
        COMES_ABOUT(BOTH, edited && row[3].effect && (row[0].effect && row[3].place == 0
            || row[1].effect && row[3].place == 1 || row[2].effect && row[3].place == 2));
        if :: ORIGIN_KNOWS(e) -> row[e].copy = 0 :: else fi
    fi
}

/* Bytes have left, and no answer will say that they were not acted upon. */
inline leave() {
    row[e].maybe = IS_LIVE(e);
    if :: row[e].word == 1 -> row[e].word = 2 :: else fi
}

inline no_answer(s) {
    if :: row[e].kind == POST -> hand[s].verdict = TO_PERSON :: else -> hand[s].verdict = AGAIN fi;
    printf("%c: no answer for row %d\n", NAME(s), e)
}

inline not_sent(s) {
    if :: MADE_THE_MARK(s) -> hand[s].verdict = UNSENT :: else -> hand[s].verdict = AGAIN fi;
    printf("%c: row %d is not sent\n", NAME(s), e)
}

#define ANSWERED 0
#define UNANSWERED 1                    /* carried out, and the answer is lost */
#define UNDECIDED 2                     /* still on its way when the sender gives up */
#define REFUSED 3                       /* 429, 503: not carried out */
#define REJECTED 4                      /* any other 4xx: not carried out */
#define NO_LINE 5                       /* no byte left */
#ifdef NO_LATE_COPIES
#define MAY_BE_LATE false
#else
#define MAY_BE_LATE true
#endif
#define FATE if :: fate = ANSWERED :: faults > 0 -> fate = UNANSWERED :: faults > 0 && MAY_BE_LATE -> fate = UNDECIDED \
    :: faults > 0 -> fate = REFUSED :: faults > 0 -> fate = REJECTED :: faults > 0 -> fate = NO_LINE fi

/* The first byte, the origin, and what the sender learns of it. */
inline send(s) {
    if
    :: !IN_TIME(s) || fate == NO_LINE -> not_sent(s)
    :: else ->
        printf("%c: first byte of row %d\n", NAME(s), e);
        HOLD(RECALLED, row[e].state != DROPPED);
        HOLD(RESENT, row[e].kind != POST || !row[e].maybe || row[e].word == 1);
        if
        :: fate == ANSWERED -> leave(); arrive(); hand[s].verdict = DELIVERED
        :: fate == UNANSWERED -> leave(); arrive(); no_answer(s)
        :: fate == UNDECIDED -> leave(); row[e].copy = !ORIGIN_KNOWS(e); no_answer(s)
        :: fate == REFUSED -> hand[s].verdict = AGAIN; printf("%c: row %d is refused for now\n", NAME(s), e)
        :: fate == REJECTED -> hand[s].verdict = TO_PERSON; printf("%c: row %d is rejected\n", NAME(s), e)
        fi
    fi;
    if :: IN_TIME(s) && fate != ANSWERED -> faults-- :: else fi;
    hand[s].marked = 0;
    hand[s].at = SENT
}

/* T-done, T-retry, T-release, T-park: under owner and token. Where no row changes the lease is lost. */
inline conclude(s) {
    if
    :: HOLDS_LEASE(s) ->
        if
        :: hand[s].verdict == DELIVERED ->
            printf("%c: T-done of row %d\n", NAME(s), e);
            HOLD(LOST, row[e].effect);
            settle(DONE)
        :: hand[s].verdict != DELIVERED && row[e].cancel ->
            printf("%c: row %d is dropped, as the person said\n", NAME(s), e);
            settle(DROPPED)
        :: else ->
            row[e].crashes = 0;
            if
            :: hand[s].verdict == TO_PERSON -> printf("%c: T-park of row %d\n", NAME(s), e); put(PARKED)
            :: else ->
                printf("%c: T-retry or T-release of row %d\n", NAME(s), e);
#ifdef FIRST_TRY_BY_COUNT
                if :: hand[s].verdict == AGAIN -> row[e].attempts = 1 :: else fi;
#endif
                if :: hand[s].verdict == UNSENT -> row[e].marked = 0 :: else fi;
                put(QUEUED)
            fi
        fi;
        HOLD(STALE, !hand[s].lost);
#ifdef PROMOTE_SEPARATELY
        if :: !IS_LIVE(e) -> hand[s].verdict = 0; hand[s].at = OWING :: else -> let_go(s) fi
#else
        promote();
        let_go(s)
#endif
    :: else ->
        printf("%c: the lease of row %d is lost, nothing changes\n", NAME(s), e);
        COMES_ABOUT(FENCED, row[e].state == DONE);
        let_go(s)
    fi
}

/* ---- Misfortune ---- */

/* T-reap of one row. */
inline reap(s) {
    printf("%c: T-reap of row %d\n", NAME(s), e);
    if :: HAS(1 - s, e) && row[e].owner == OWNER(1 - s) && row[e].token == hand[1 - s].token -> hand[1 - s].lost = 1
       :: else fi;
    row[e].crashes++;
    COMES_ABOUT(POISONED, row[e].crashes >= MOST_CRASHES);
    if
    :: IS_CANCELLED(e) -> settle(DROPPED); promote()
    :: !IS_CANCELLED(e) && (row[e].crashes >= MOST_CRASHES || (row[e].kind == POST && row[e].marked)) -> put(PARKED)
    :: else -> put(QUEUED)
    fi
}

/* Death: the kernel frees the lock, and what the process had in hand is forgotten. */
#define BURY(r) if :: row[r].owner == OWNER(s) -> row[r].owner = DEAD :: else fi
inline crash(s) {
    printf("%c: crashes\n", NAME(s));
    crashes--;
    BURY(0); BURY(1); BURY(2); BURY(3);
#ifdef ONE_PROCESS
    let_go(0); let_go(1)
#else
    let_go(s)
#endif
}

/* A living sender is not let run, or does not look up, until its lease has ended. */
inline stall(s) {
    printf("%c: is held up until its lease has ended\n", NAME(s));
    stalls--;
    hand[s].late = 1
}

/* Which of the two is called 0 makes no difference, but in a story that is told of them (-DSTORY). */
#define CODE(s) (hand[s].at << 9 | hand[s].entry << 7 | hand[s].verdict << 4 \
    | hand[s].token << 3 | hand[s].marked << 2 | hand[s].late << 1 | hand[s].lost)
#define SWAP(a, b) spare = a; a = b; b = spare
#define RENAME(r) if :: row[r].owner == 1 -> row[r].owner = 2 :: row[r].owner == 2 -> row[r].owner = 1 :: else fi
inline tidy() {
#ifndef STORY
    if
    :: CODE(0) < CODE(1) ->
        SWAP(hand[0].at, hand[1].at); SWAP(hand[0].entry, hand[1].entry); SWAP(hand[0].token, hand[1].token);
        SWAP(hand[0].verdict, hand[1].verdict); SWAP(hand[0].marked, hand[1].marked);
        SWAP(hand[0].late, hand[1].late); SWAP(hand[0].lost, hand[1].lost);
        spare = 0;
#ifndef ONE_PROCESS
        RENAME(0); RENAME(1); RENAME(2); RENAME(3)
#endif
    :: else
    fi;
#endif
    e = 0; fate = 0
}
