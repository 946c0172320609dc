package org.tributary.simulator;

import java.util.ArrayList;
import java.util.List;

/** The content of one call: requests one way; answers, an acknowledgement and credit the other. */
final class Packet {
    final List<Carried> requests = new ArrayList<>(1);
    final List<Answer> answers = new ArrayList<>(1);
    long acknowledged = -1;
    long credit = -1;
    boolean opens;
    boolean closes;
    boolean admits;
    boolean refuses;
    /** Requests at its beginning that were dealt with already. */
    int taken;

    /** An answer, or, when {@code failedAt} is not -1, the news that there will be none. */
    record Answer(long id, long value, int bytes, int failedAt) {
    }

    long lengthInBytes() {
        long bytes = 0;
        for (int i = 0; i < requests.size(); i++) {
            bytes += requests.get(i).op().lengthInBytes;
        }
        for (int i = 0; i < answers.size(); i++) {
            bytes += answers.get(i).bytes();
        }
        return bytes;
    }

    boolean isEmpty() {
        return requests.isEmpty() && answers.isEmpty() && acknowledged < 0 && credit < 0 && !opens && !closes && !admits
            && !refuses;
    }
}
