package org.tributary.launcher.node;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.tributary.config.CooperationMode;
import org.tributary.config.Settings;
import org.tributary.launcher.bind.Binding;
import org.tributary.launcher.bind.LinkSpeed;
import org.tributary.server.LoopCount;
import org.tributary.server.LoopCount.Choice;
import org.tributary.server.LoopCount.Room;

/**
 * How many event loops a server on this machine would have, for those who ask before there is a job: of one with
 * several nodes, of which the machine has one, and hardly a rank. Stateless.
 */
public final class LoopsHere {
    private static final int NODES = 2;

    private LoopsHere() {
    }

    /** The number, and why. */
    public static String describe(Settings settings) {
        return describe(settings, new OwnLoops.Machine(Binding::coresHere, LinkSpeed::mbit));
    }

    static String describe(Settings settings, OwnLoops.Machine machine) {
        Room room = new Room(machine.cores().getAsInt(), 1, 1, () -> linkMbit(settings, machine));
        Choice choice = LoopCount.choose(settings, settings.cooperationMode(), NODES, room);
        boolean isAutomatic = LoopCount.isAutomatic(settings, settings.cooperationMode(), NODES);
        return choice + (choice.loops() > 1 && isAutomatic ? "; fewer where ranks leave fewer cores, or there are more"
            + " servers on a machine" : "");
    }

    /** What is set is more than fits; null if not. */
    public static String problem(Settings settings) {
        boolean isUsed = settings.cooperationMode() == CooperationMode.NONE && settings.fabricChannels() == 0
            && settings.serverThreads() > 0;
        return isUsed ? OwnLoops.problem(settings, 1, Runtime.getRuntime().availableProcessors()) : null;
    }

    private static long linkMbit(Settings settings, OwnLoops.Machine machine) {
        try {
            return machine.linkMbit().applyAsLong(InetAddress.getByName(OwnAddress.of(settings, List.of())));
        } catch (IOException e) {
            return LinkSpeed.UNKNOWN; // others say what is wrong
        }
    }
}
