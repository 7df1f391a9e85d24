/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fuzz target without a fuzzer: run every file of the folder given, so that each seed, and with
 * it each fault once found, stays a test wherever the unit tests run. Exit 1 if there is none.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static int run_file(int folder_fd, const char *name)
{
	int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *data;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	data = malloc(st.st_size); /* to the byte: a sanitizer sees what is read behind it */
	n = data ? read(fd, data, st.st_size) : -1;
	close(fd);
	if (n == st.st_size)
		LLVMFuzzerTestOneInput(data, n);
	free(data);
	return n == st.st_size ? 0 : -1;
}

int main(int argc, char **argv)
{
	DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
	unsigned files = 0;
	struct dirent *entry;

	if (!folder) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failed assertion is said, and ends the run */
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		if (run_file(dirfd(folder), entry->d_name)) {
			perror(entry->d_name);
			return 1;
		}
		files++;
	}
	closedir(folder);
	printf("%u inputs\n", files);
	return files ? 0 : 1;
}
