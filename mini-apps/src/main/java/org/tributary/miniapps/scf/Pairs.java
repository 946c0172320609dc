package org.tributary.miniapps.scf;

import org.tributary.miniapps.gaussian.Repulsion;
import org.tributary.miniapps.gaussian.ShellPair;

/** All pairs of shells, the first not before the second, with the bounds of their repulsion. Immutable. */
final class Pairs {
    private final Functions functions;
    private final ShellPair[] pairs;

    Pairs(Functions functions) {
        this.functions = functions;
        pairs = new ShellPair[(int) Triangle.count(functions.shells())];
        Repulsion repulsion = new Repulsion();
        for (int i = 0; i < functions.shells(); i++) {
            for (int j = 0; j <= i; j++) {
                ShellPair pair = new ShellPair(functions.shell(i), functions.shell(j));
                repulsion.bound(pair);
                pairs[(int) Triangle.number(i, j)] = pair;
            }
        }
    }

    Functions functions() {
        return functions;
    }

    /** That of shells i and j, which is at most i. */
    ShellPair pair(int i, int j) {
        return pairs[(int) Triangle.number(i, j)];
    }
}
