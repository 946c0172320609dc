package org.tributary.launcher.cli;

import java.util.Iterator;
import org.tributary.config.Settings;

/** Every {@code key=}, for a shell that completes the argument of {@code --set}. */
final class SettingKeys implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return Settings.builder().build().describe().stream().map(entry -> entry.key() + "=").iterator();
    }
}
