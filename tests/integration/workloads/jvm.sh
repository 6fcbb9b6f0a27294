#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# Compile and run a program: threads, files, a child, a server socket.
. "$(dirname "$0")/common.sh"
mkdir classes
cat > Sample.java <<'JAVA'
import java.net.*; import java.nio.file.*; import java.util.*; import java.util.concurrent.*;
public class Sample {
    public static void main(String[] a) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) { int n = i; all.add(pool.submit(() -> n * n)); }
        int sum = 0; for (Future<Integer> f : all) sum += f.get();
        System.out.println(sum); pool.shutdown();
        Path d = Files.createDirectory(Path.of("directory")); Files.writeString(d.resolve("f"), "text");
        Files.move(d, Path.of("moved")); System.out.println(Files.readString(Path.of("moved/f")));
        Process p = new ProcessBuilder("/bin/echo", "child").inheritIO().start(); System.out.println(p.waitFor());
        try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket c = new Socket(s.getInetAddress(), s.getLocalPort()); Socket e = s.accept()) {
            c.getOutputStream().write(65); System.out.println(e.getInputStream().read());
        }
    }
}
JAVA
javac -d classes Sample.java
java -XX:-UsePerfData -cp classes Sample
