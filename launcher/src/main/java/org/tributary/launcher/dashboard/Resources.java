package org.tributary.launcher.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** The files of the page by name: its own, and those of the library for plots, from its WebJar. Immutable. */
final class Resources {
    private static final String WEBJAR = "org.webjars.npm/uplot";

    private final Map<String, Resource> files = new HashMap<>();

    /** A file and its type. */
    record Resource(String type, byte[] bytes) {
    }

    Resources() {
        try {
            Resource page = own("index.html", "text/html");
            files.put("", page);
            files.put("page.js", own("page.js", "text/javascript"));
            files.put("page.css", own("page.css", "text/css"));
            files.put("icon.svg", own("icon.svg", "image/svg+xml"));
            String plots = "META-INF/resources/webjars/uplot/" + version() + "/dist/";
            files.put("uplot.js", new Resource("text/javascript", read(plots + "uPlot.iife.min.js")));
            files.put("uplot.css", new Resource("text/css", read(plots + "uPlot.min.css")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Null when there is none. */
    Resource get(String name) {
        return files.get(name);
    }

    private static Resource own(String name, String type) throws IOException {
        return new Resource(type, read("org/tributary/launcher/dashboard/" + name));
    }

    private static String version() throws IOException {
        Properties jar = new Properties();
        try (InputStream in = open("META-INF/maven/" + WEBJAR + "/pom.properties")) {
            jar.load(in);
        }
        return jar.getProperty("version");
    }

    private static byte[] read(String name) throws IOException {
        try (InputStream in = open(name)) {
            return in.readAllBytes();
        }
    }

    private static InputStream open(String name) throws IOException {
        InputStream in = Resources.class.getClassLoader().getResourceAsStream(name);
        if (in == null) {
            throw new IOException("there is no " + name + " on the class path");
        }
        return in;
    }
}
