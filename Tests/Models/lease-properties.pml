/* What must hold. -DONLY=NAME checks one alone, so that a control fails for the reason it is there for. */

#define LOST 1          /* an accepted entry is in the queue, and what is done has been carried out */
#define TWICE 2         /* what has a key is carried out once */
#define RECALLED 3      /* after a drop or an edit no byte of the old request leaves */
#define RESENT 4        /* a POST without a key that may have been sent is sent again on a person's word only */
#define FORGOTTEN 5     /* what may have been sent is marked so in the store */
#define OVERTAKEN 6     /* nothing is carried out before what is ahead of it in its lane is settled, nor again after */
#define HEADLESS 7      /* of a lane's unsettled entries the oldest, and only it, is the head */
#define STALE 8         /* who has lost the lease changes nothing */
#define REOPENED 9      /* what is settled stays as it is */
#define UNHEARD 10      /* what a person dropped while it was being sent is not taken up again */
#define STUCK 11        /* where senders have nothing to do all is settled, or parked, or behind what is parked */
#ifndef ONLY
#define ONLY 0
#endif
#define HOLD(property, condition) \
    if :: (ONLY == 0 || ONLY == property) && !(condition) -> printf("BROKEN: "); printf(#property); assert(false) :: else fi

/* Looked at with ONLY=NAME alone: what no protocol on this side of the wire can promise, and what must come about
 * somewhere, or the check would be about nothing. */
#define BOTH 12         /* an edited entry and what it was are both carried out */
#define POISONED 13     /* three crashes park an entry */
#define FENCED 14       /* who lost the lease comes back after another has settled the entry */
#define CAME_LATE 15    /* a copy arrives when no sender has its entry in hand */
#define KNOWN 16        /* the origin knows a key again */
#define COMES_ABOUT(what, condition) if :: ONLY == what && (condition) -> printf("SEEN\n"); assert(false) :: else fi

#define IS_KEPT(r) (!row[r].accepted || row[r].state != NONE || HAS(0, r) || HAS(1, r))
#define HEAD_IS_RIGHT(r) (row[r].head == (IS_LIVE(r) && IS_OLDEST(r)) || OWES(0, r) || OWES(1, r))
#define MARK_IS_TRUE(r) (!IS_LIVE(r) || !row[r].maybe || row[r].marked || row[r].kind == PUT)
#define BOTH_IDLE (hand[0].at == IDLE && hand[1].at == IDLE)
#define CAN_MOVE(r) (MAY_BE_CLAIMED(r) || MAY_BE_REAPED(r))
#define IS_AT_REST(r) \
    (!row[r].accepted || row[r].state >= PARKED || (row[r].state == QUEUED && !row[r].head && !IS_OLDEST(r)))

/* What holds after every step. (Of an entry or a head that a living sender is about to put back, as it happens in two of
 * the controls, nothing is asked.) */
inline examine() {
    HOLD(LOST, ALL(IS_KEPT));
    HOLD(HEADLESS, ALL(HEAD_IS_RIGHT));
    HOLD(FORGOTTEN, ALL(MARK_IS_TRUE));
    HOLD(STUCK, !BOTH_IDLE || ANY(CAN_MOVE) || ALL(IS_AT_REST))
}
