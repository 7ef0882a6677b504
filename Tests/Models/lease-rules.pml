/* The rules of the design, and for each the control (-DNAME) that takes it away. Three more, which move a step instead of
 * a condition, are where the step is: REMOVE_THEN_SEND, MARK_AFTER_SEND, PROMOTE_SEPARATELY. */

/* A sender settles under owner and token. */
#if defined(NO_FENCING) || defined(REMOVE_THEN_SEND)
#define HOLDS_LEASE(s) true
#elif defined(NO_TOKEN)
#define HOLDS_LEASE(s) (row[e].state == SENDING && row[e].owner == OWNER(s))
#else
#define HOLDS_LEASE(s) (row[e].state == SENDING && row[e].owner == OWNER(s) && row[e].token == hand[s].token)
#endif
/* Only a dead owner's lock can be had. */
#ifdef NO_OWNER_LOCK
#define LOCK_IS_FREE(o) true
#else
#define LOCK_IS_FREE(o) (o == DEAD)
#endif
#ifdef NO_REAP
#define MAY_BE_REAPED(r) false
#else
#define MAY_BE_REAPED(r) (row[r].state == SENDING && LOCK_IS_FREE(row[r].owner))
#endif
#define LEASE_HAS_ENDED(r) (hand[1 - s].late && HAS(1 - s, r) && row[r].state == SENDING \
    && row[r].owner == OWNER(1 - s) && row[r].token == hand[1 - s].token)
/* Only the head of a lane is claimed. */
#ifdef CLAIM_ANY
#define MAY_BE_CLAIMED(r) (row[r].state == QUEUED)
#else
#define MAY_BE_CLAIMED(r) (row[r].state == QUEUED && row[r].head)
#endif
/* A sender looks at its deadline, which is well before the end of its lease, in the instant of the first byte. */
#ifdef NO_DEADLINE_CHECK
#define IN_TIME(s) true
#else
#define IN_TIME(s) (!hand[s].late)
#endif
/* An entry keeps its key. */
#ifdef NEW_KEY_PER_SEND
#define ORIGIN_KNOWS(r) false
#else
#define ORIGIN_KNOWS(r) (row[r].kind == KEYED && row[r].effect)
#endif
/* A person's word is for what is queued or parked. */
#ifdef PERSON_ON_SETTLED
#define MAY_BE_CHANGED(r) (row[r].state != NONE && row[r].state != SENDING)
#define MAY_BE_RETRIED(r) (MAY_BE_CHANGED(r) && row[r].state != QUEUED)
#else
#define MAY_BE_CHANGED(r) (row[r].state == QUEUED || row[r].state == PARKED)
#define MAY_BE_RETRIED(r) (row[r].state == PARKED)
#endif
/* T-reap hears what the person said to the sender that died. */
#ifdef REAP_IGNORES_CANCEL
#define IS_CANCELLED(r) false
#else
#define IS_CANCELLED(r) (row[r].cancel)
#endif
/* A try that sent nothing clears the mark only if it made it. */
#ifdef FIRST_TRY_BY_COUNT
#define MADE_THE_MARK(s) (row[e].attempts == 0 && row[e].crashes == 0)
#else
#define MADE_THE_MARK(s) (hand[s].marked)
#endif
