/* What the model remembers. */

/* States of a row. */
#define NONE 0                          /* there is no such row */
#define QUEUED 1
#define SENDING 2
#define PARKED 3
#define DONE 4
#define DROPPED 5

/* Owners of a row: the living are 1 and 2. The rows of a process that dies become those of DEAD: its lock can be had.
 * Its next life has thereby a number that no row bears, as a new uuid is. */
#define NOBODY 0
#define DEAD 3
#ifdef ONE_PROCESS                      /* the two senders are tasks of one process: one owner, and one death */
#define OWNER(s) 1
#else
#define OWNER(s) (1 + s)
#endif

/* Where a sender stands. */
#define IDLE 0
#define PROBED 1                        /* has had the lock of a dead owner, and has not reaped yet */
#define CLAIMED 2
#define MARKED 3                        /* T-sending is committed: the next thing is the first byte */
#define SENT 4                          /* the try is over and its verdict known, but not committed */
#define OWING 5                         /* PROMOTE_SEPARATELY only: settled, the next head not made yet */

/* What is to be committed after a try. */
#define DELIVERED 1                     /* 2xx: T-done */
#define AGAIN 2                         /* refused with 429 or 503, or no answer and it may be sent again: T-retry */
#define UNSENT 3                        /* no byte has left, and the mark is of this try: T-release, which clears it */
#define TO_PERSON 4                     /* refused for good, or no answer and it may not be sent again: T-park */

#define MOST_CRASHES 3                  /* as often a sender may die with an entry in hand; then it is parked as poison */

typedef Row {
    unsigned state : 3;
    unsigned kind : 2;
    unsigned place : 2;                 /* lane and position: 0 and 1 are in lane 0, 2 is in lane 1 */
    unsigned owner : 2;
    bit token;
    unsigned crashes : 2;
    bit head;
    bit marked;                         /* first_sent_at is set */
    bit cancel;                         /* the person dropped it while it was being sent */
    bit effect;                         /* ghost, and the memory of the origin: it has been carried out */
    bit copy;                           /* a request is on its way that no sender waits for any more */
    bit accepted;                       /* ghost: the person has been told so */
    bit maybe;                          /* ghost: bytes have left, and no answer said "not carried out" */
    unsigned word : 2;                  /* ghost: 1 the person said "send it again" of such a one; 2 it was sent again */
#ifdef FIRST_TRY_BY_COUNT
    bit attempts;                       /* above 0 */
#endif
}
Row row[4];

/* What a sender has in hand. */
typedef Hand {
    unsigned at : 3;
    unsigned entry : 2;
    bit token;
    unsigned verdict : 3;
    bit marked;                         /* it was this try that set first_sent_at */
    bit late;                           /* its budget is used up and its lease has ended */
    bit lost;                           /* ghost: it was reaped though it lives */
}
Hand hand[2];

unsigned crashes : 2 = CRASHES;
unsigned stalls : 2 = STALLS;
unsigned faults : 2 = FAULTS;
unsigned acts : 2 = ACTS;
bit edited;

/* Of one step, and 0 between steps. (Not `hidden`: spin does not restore what is hidden when it tries another way.) */
unsigned e : 2;                         /* the row that the step is about */
unsigned fate : 3;                      /* what becomes of a try */
byte spare;

#define NAME(s) ('A' + s)
#define ALL(p) (p(0) && p(1) && p(2) && p(3))
#define ANY(p) (p(0) || p(1) || p(2) || p(3))
#define PICK(p) if :: p(0) -> e = 0 :: p(1) -> e = 1 :: p(2) -> e = 2 :: p(3) -> e = 3 fi
#define IS_LIVE(r) (row[r].state == QUEUED || row[r].state == SENDING || row[r].state == PARKED)
#define IS_KIND(k) (row[hand[s].entry].kind == k)
#define SAME_LANE(a, b) ((row[a].place == 2) == (row[b].place == 2))
#define LIVES_BEFORE(f, r) (IS_LIVE(f) && SAME_LANE(f, r) && row[f].place < row[r].place)
#define IS_OLDEST(r) (!LIVES_BEFORE(0, r) && !LIVES_BEFORE(1, r) && !LIVES_BEFORE(2, r) && !LIVES_BEFORE(3, r))
#define PASSES(g, r) (row[g].effect && SAME_LANE(g, r) && row[g].place > row[r].place)
#define IS_PASSED(r) (PASSES(0, r) || PASSES(1, r) || PASSES(2, r) || PASSES(3, r))
#define HAS(s, r) (hand[s].at >= CLAIMED && hand[s].entry == r)
#define OWES(s, r) (hand[s].at == OWING && SAME_LANE(hand[s].entry, r))
