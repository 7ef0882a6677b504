/* The lease protocol of the queue, for spin. `Tests/Models/check` runs it; Docs/Queue.md tells what it covers.
 *
 * Each transition bears the name that it has in the design (T-claim, T-sending, T-done ...) and is one atomic step, as
 * each is one IMMEDIATE transaction under the writer lock. Between any two steps of a sender it may crash, a person may
 * speak, the other sender may reap, and a copy of a request that is still on its way may arrive.
 *
 *   lane 0   row 0, then row 1          there from the beginning; enqueued at any moment
 *   lane 1   row 2                      there from the beginning
 *            row 3                      what an edit makes: a new id and a new key in the place of the edited row
 *
 * What only serves to state a property is marked "ghost". Numbers that stand for something fresh (owner, token) are
 * used again once nothing bears them, what nothing reads any more is forgotten, and the two senders change places so
 * that two that stand alike are not counted twice. None of this takes a behaviour away.
 *
 * Retries have no delay here and claims no order among lanes: whatever a clock or a fair choice could bring about is
 * among what is tried. Each run is finite, since all that is unkind is counted; `check` holds the model to that too.
 */

/* How often the world may be unkind in one run. */
#ifndef CRASHES
#define CRASHES 2                       /* deaths of a sending process, at any instant */
#endif
#ifndef STALLS
#define STALLS 1                        /* living senders that are held up until their lease has ended */
#endif
#ifndef FAULTS
#define FAULTS 1                        /* tries that do not end in a 2xx answer; after them the origin answers */
#endif
#ifndef ACTS
#define ACTS 2                          /* words of the person */
#endif

/* Kinds of entries, and which rows are of which. */
#define KEYED 1                         /* the origin is declared to honour its key, and does */
#define POST 2                          /* neither keyed nor idempotent */
#define PUT 3                           /* idempotent, not keyed: sent again without asking */
#ifndef KIND_0
#define KIND_0 KEYED
#endif
#ifndef KIND_1
#define KIND_1 POST
#endif
#ifndef KIND_2
#define KIND_2 POST
#endif

#include "lease-state.pml"
#include "lease-rules.pml"
#include "lease-properties.pml"
#include "lease-transitions.pml"

#define IS_ANOTHERS(r) (MAY_BE_REAPED(r) && row[r].owner != OWNER(s))

/* A step of a sender: when, what is left to chance, and what it does. */
#define STEP(guard, chance, act) atomic { guard -> e = hand[s].entry; chance; d_step { act; examine(); tidy() } }

proctype Sender(bit s) {
end:
    do
    :: STEP(hand[s].at == IDLE && ANY(MAY_BE_CLAIMED), PICK(MAY_BE_CLAIMED), claim(s))
    /* T-reap of the dead: the lock is tried outside the transaction. A dead sender had one row in hand. */
    :: STEP(hand[s].at == IDLE && ANY(MAY_BE_REAPED), PICK(MAY_BE_REAPED), hand[s].entry = e; hand[s].at = PROBED)
    :: STEP(hand[s].at == PROBED, skip, if :: MAY_BE_REAPED(e) -> reap(s) :: else fi; let_go(s))
    /* T-reap by the reaper of a process whose sender is busy. */
    :: STEP(hand[s].at >= CLAIMED && ANY(IS_ANOTHERS), PICK(IS_ANOTHERS), reap(s))
    /* T-reap of an ended lease: its owner may live. */
    :: STEP(ANY(LEASE_HAS_ENDED), PICK(LEASE_HAS_ENDED), reap(s))
#ifdef MARK_AFTER_SEND
    :: STEP(hand[s].at == CLAIMED, FATE, send(s); if :: IS_KIND(POST) -> hand[s].at = MARKED :: else fi)
    :: STEP(hand[s].at == MARKED, skip, mark(s, SENT))
#else
    :: STEP(hand[s].at == CLAIMED && IS_KIND(POST), skip, mark(s, MARKED))
    :: STEP(hand[s].at == MARKED || (hand[s].at == CLAIMED && !IS_KIND(POST)), FATE, send(s))
#endif
    :: STEP(hand[s].at == SENT, skip, conclude(s))
#ifdef PROMOTE_SEPARATELY
    :: STEP(hand[s].at == OWING, skip, promote(); let_go(s))
#endif
    :: STEP(hand[s].at >= CLAIMED && crashes > 0, skip, crash(s))
    :: STEP(hand[s].at >= CLAIMED && !hand[s].late && stalls > 0, skip, stall(s))
    od
}

#define SAY(which, act) atomic { acts > 0 && ANY(which) -> PICK(which); d_step { acts--; act; examine(); tidy() } }
#define MAY_BE_HELD(r) (row[r].state == QUEUED)
#define MAY_BE_EDITED(r) (MAY_BE_CHANGED(r) && !edited)
#define MAY_BE_CANCELLED(r) (row[r].state == SENDING && !row[r].cancel)

/* T-enqueue and T-user, at any moment. What is being sent can be dropped only, which is heard when the try is over.
 * (An enqueue that is repeated with the same key changes nothing, so that is no step.) */
proctype Person() {
end:
    do
    :: d_step { !row[1].accepted -> enqueue(1); examine(); tidy() }
    :: SAY(MAY_BE_RETRIED, retry())
    :: SAY(MAY_BE_HELD, printf("the person holds row %d\n", e); put(PARKED))
    :: SAY(MAY_BE_CHANGED, printf("the person drops row %d\n", e); settle(DROPPED); promote())
    :: SAY(MAY_BE_EDITED, edit())
    :: SAY(MAY_BE_CANCELLED, row[e].cancel = 1; printf("the person drops row %d, which is being sent\n", e))
    od
}

#define HAS_COPY(r) (row[r].copy)

/* A copy that no sender waits for any more arrives late, or never. */
proctype Network() {
end:
    do
    :: atomic {
        ANY(HAS_COPY) -> PICK(HAS_COPY);
        if :: fate = ANSWERED :: fate = NO_LINE fi;
        d_step {
            row[e].copy = 0;
            if
            :: fate == ANSWERED -> printf("a late copy arrives: "); arrive()
            :: else -> printf("a copy of row %d is lost\n", e)
            fi;
            tidy()
        }
       }
    od
}

init {
    atomic {
        row[0].place = 0; row[1].place = 1; row[2].place = 2;
        row[0].kind = KIND_0; row[1].kind = KIND_1; row[2].kind = KIND_2;
        enqueue(0); enqueue(2);
        run Sender(0); run Sender(1); run Person(); run Network()
    }
}
